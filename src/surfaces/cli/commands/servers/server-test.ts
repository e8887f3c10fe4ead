import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { ServerAnswer, ServerTest, ServerView, TestReport } from "../../../api/contract.ts";
import {
  mustApply,
  namedValues,
  reachOptions,
  type ServerOptions,
  serverInput,
  startFolder,
} from "../../input/server-options.ts";
import { indented, nextStep } from "../../print/server-text.ts";
import type { Group, Run } from "../../shell.ts";

export function serverTestCommand(server: Group): void {
  reachOptions(
    server.leaf(
      "test <name> [command...]",
      "connect anew and list the tools, or try a server out first",
      testServer,
      "fs",
      "fs -- npx -y @modelcontextprotocol/server-filesystem ~/documents",
      "docs --url https://example.com/mcp",
    ),
  ).option("--timeout <ms>", "time limit of trying a server out, 1s to 10s; 10s by default");
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
      "these options try a server out that is not registered: give its command after --, or --url",
    );
  const report = await run.progress(
    `testing ${name}`,
    run.send<TestReport>("POST", path`/api/servers/${name}/test`),
  );
  const { server } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  run.print(report, verdictOf(name, report) + afterTest(server, report));
  return report.ok ? 0 : 1;
}

/** Nothing of it is kept. */
async function tryServer(run: Run, name: string, command: string[], options: ServerOptions): Promise<number> {
  if (command.length > 0 && options.url !== undefined)
    throw new ToolkeepError(
      "BAD_USAGE",
      "a server is a command after -- or an address with --url; give one of them",
    );
  const { env = [], header = [], timeout } = options;
  mustApply(options, options.url === undefined);
  const { timeoutMs, ...reach } = await serverInput(run, command, options);
  const body: ServerTest = {
    name,
    ...startFolder(run, command),
    ...reach,
    ...(timeout !== undefined && { timeout_ms: timeoutMs }),
    ...(env.length > 0 && { env: await namedValues(run, env, "--env") }),
    ...(header.length > 0 && { headers: await namedValues(run, header, "--header") }),
  };
  const report = await run.progress(
    `trying ${name} out`,
    run.send<TestReport>("POST", "/api/mcp/servers/test", body),
  );
  const next = report.ok ? `Register it: toolkeep server add ${name} …\n` : "";
  run.print(report, verdictOf(name, report) + next);
  return report.ok ? 0 : 1;
}

function verdictOf(name: string, report: TestReport): string {
  const verdict = report.ok
    ? `${name} works: ${counted(report.tool_count, "tool")} in ${report.latency_ms} ms.\n`
    : `${name} does not work (after ${report.latency_ms} ms):\n${indented(report.error)}\n`;
  return verdict + (report.ok && report.warning !== undefined ? `! ${report.warning}\n` : "");
}

/** What to do now, unless the report has said it or it is what was just done. */
function afterTest(server: ServerView, report: TestReport): string {
  const { name } = server;
  if (server.state === "disabled")
    return `It is disabled; calls are refused: toolkeep server enable ${name}\n`;
  const next = report.ok ? undefined : nextStep(server);
  const isSaid = !report.ok && report.error.includes(`toolkeep server auth ${name}`);
  const isRepeat = next === `try again: toolkeep server test ${name}`;
  const isSpare = next === undefined || isRepeat || (isSaid && next.startsWith("sign in"));
  return isSpare ? "" : `${next}\n`;
}
