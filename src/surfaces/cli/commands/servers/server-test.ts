import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { ServerAnswer, ServerTest, ServerView, TestReport } from "../../../api/contract.ts";
import {
  addReachOptions,
  checkOptionsApply,
  chooseStartFolder,
  readNamedValues,
  readServerOptions,
  type ServerOptions,
} from "../../input/server-options.ts";
import { indentLines, suggestNextStep } from "../../print/server-text.ts";
import type { Group, Run } from "../../shell.ts";

export function serverTestCommand(server: Group): void {
  addReachOptions(
    server.leaf(
      "test <name> [command...]",
      "Test a registered server, or try one without registering it",
      testServer,
      "fs",
      "fs -- npx -y @modelcontextprotocol/server-filesystem ~/documents",
      "docs --url https://example.com/mcp",
    ),
  ).option("--timeout <ms>", "Time limit for trying an unregistered server, 1s to 10s (default: 10s)");
}

async function testServer(
  run: Run,
  name: string,
  command: string[],
  options: ServerOptions,
): Promise<number> {
  if (command.length > 0 || options.url !== undefined) return await tryServer(run, name, command, options);
  const { timeout, ...reach } = options;
  if (timeout !== undefined || Object.values(reach).some((value) => value !== undefined))
    throw new ToolkeepError(
      "BAD_USAGE",
      "these options are for unregistered servers; give a command after --, or --url",
    );
  const report = await run.progress(
    `testing ${name}`,
    run.send<TestReport>("POST", path`/api/servers/${name}/test`),
  );
  const { server } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  run.print(report, formatVerdict(name, report) + suggestAfterTest(server, report));
  return report.ok ? 0 : 1;
}

/** Tests a server without storing anything. */
async function tryServer(run: Run, name: string, command: string[], options: ServerOptions): Promise<number> {
  if (command.length > 0 && options.url !== undefined)
    throw new ToolkeepError("BAD_USAGE", "give either a command after -- or an address with --url");
  const { env = [], header = [], timeout } = options;
  checkOptionsApply(options, options.url === undefined);
  const { timeoutMs, ...reach } = await readServerOptions(run, command, options);
  const body: ServerTest = {
    name,
    ...chooseStartFolder(run, command),
    ...reach,
    ...(timeout !== undefined && { timeout_ms: timeoutMs }),
    ...(env.length > 0 && { env: await readNamedValues(run, env, "--env") }),
    ...(header.length > 0 && { headers: await readNamedValues(run, header, "--header") }),
  };
  const report = await run.progress(
    `trying ${name}`,
    run.send<TestReport>("POST", "/api/mcp/servers/test", body),
  );
  const next = report.ok ? `Register it: toolkeep server add ${name} …\n` : "";
  run.print(report, formatVerdict(name, report) + next);
  return report.ok ? 0 : 1;
}

function formatVerdict(name: string, report: TestReport): string {
  const verdict = report.ok
    ? `${name} works: ${counted(report.tool_count, "tool")} in ${report.latency_ms} ms.\n`
    : `${name} does not work (after ${report.latency_ms} ms):\n${indentLines(report.error)}\n`;
  return verdict + (report.ok && report.warning !== undefined ? `! ${report.warning}\n` : "");
}

/** The next step, unless the report already shows it or it would repeat this test. */
function suggestAfterTest(server: ServerView, report: TestReport): string {
  const { name } = server;
  if (server.state === "disabled")
    return `It is disabled, so calls are refused. Enable it: toolkeep server enable ${name}\n`;
  const next = report.ok ? undefined : suggestNextStep(server);
  const isAlreadyShown = !report.ok && report.error.includes(`toolkeep server auth ${name}`);
  const isRepeat = next === `try again: toolkeep server test ${name}`;
  const isRedundant = next === undefined || isRepeat || (isAlreadyShown && next.startsWith("sign in"));
  return isRedundant ? "" : `${next}\n`;
}
