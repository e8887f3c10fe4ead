import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { makeFolder } from "../../../../machine/files/make-folder.ts";
import type { AgentList, Status, TokenAnswer } from "../../../api/contract.ts";
import { findHome } from "../../home.ts";
import { getOwnName } from "../../own-name.ts";
import { readPort } from "../../port.ts";
import type { Run, Shell } from "../../shell.ts";

interface InitOptions {
  readonly agent?: string;
  readonly port?: string;
  readonly force?: boolean;
}

interface InitChoices {
  readonly agent: string;
  readonly port: number | undefined;
}

export function initCommand(shell: Shell): Command {
  return shell
    .single(
      "init",
      "Write a settings file, create an agent and show how to connect",
      "Write a settings file with every setting as a comment, create an agent and a token, and show how to connect a client. Asks for missing values in a terminal.",
      init,
      "",
      "--agent writer --port 19900",
    )
    .option("--agent <name>", "Name of the agent to create (default: main)")
    .option("--port <port>", "Port the daemon listens on")
    .option("--force", "Replace an existing settings file");
}

async function init(run: Run, options: InitOptions): Promise<undefined> {
  const home = await findHome(run.terminal);
  const existing = ["config.toml", "config.json"]
    .map((name) => join(home, name))
    .find((file) => existsSync(file));
  if (existing && !(options.force && existing.endsWith(".toml"))) throw settingsExistError(existing);

  const choices = run.terminal.interactive && !run.json ? await askChoices(options) : readChoices(options);
  const file = await writeSettings(home, choices);
  const { agents } = await run.get<AgentList>("/api/agents");
  if (!agents.some((agent) => agent.name === choices.agent))
    await run.send("POST", "/api/agents", { name: choices.agent });
  const { token } = await run.send<TokenAnswer>("POST", "/api/tokens", {
    agent: choices.agent,
    label: "init",
  });
  const { url } = await run.get<Status>("/api/status");

  const { formatClientSnippet: clientSnippet } = await import("../../../daemon/client-snippet.ts");
  const name = getOwnName(run.terminal.env);
  run.print(
    { home, file, agent: choices.agent, token, url },
    `Wrote ${file}.\nAgent ${choices.agent} has a new token, shown only once.\n\n${clientSnippet({ url, token })}
Next steps:

  ${name} serve                    or: ${name} service install
  ${name} server add fs -- npx -y @modelcontextprotocol/server-filesystem .
  ${name} agent edit ${choices.agent} --grant mcp_fs_read_text_file
`,
  );
}

async function writeSettings(home: string, { port }: InitChoices): Promise<string> {
  const { renderConfigTemplate } = await import("../../config-template.ts");
  const file = join(home, "config.toml");
  await makeFolder(home);
  await writeFile(file, renderConfigTemplate(port === undefined ? {} : { port }), { mode: 0o600 });
  return file;
}

function readChoices({ agent = "main", port }: InitOptions): InitChoices {
  return { agent, port: port === undefined ? undefined : readPort(port) };
}

async function askChoices(options: InitOptions): Promise<InitChoices> {
  const { intro, isCancel, text } = await import("@clack/prompts");
  intro("Toolkeep", { output: process.stderr });
  const askText = async (question: Parameters<typeof text>[0]) => {
    const answer = await text({ ...question, output: process.stderr });
    if (isCancel(answer)) throw new ToolkeepError("CANCELLED", "cancelled; nothing was written");
    return answer;
  };
  const agent =
    options.agent ?? (await askText({ message: "Name of the first agent", initialValue: "main" }));
  const port = options.port ?? (await askText({ message: "Port of the daemon", initialValue: "19850" }));
  return { agent, port: port === "19850" ? undefined : readPort(port) };
}

function settingsExistError(file: string): ToolkeepError {
  const hint = file.endsWith(".toml")
    ? "pass --force to replace it"
    : "remove it first, since only one settings file is read";
  return new ToolkeepError("BAD_USAGE", `${file} already exists; ${hint}`);
}
