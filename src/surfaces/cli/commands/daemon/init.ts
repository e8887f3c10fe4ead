import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { makeFolder } from "../../../../machine/files/make-folder.ts";
import type { AgentList, Status, TokenAnswer } from "../../../api/contract.ts";
import { homeHere } from "../../home.ts";
import { ownName } from "../../own-name.ts";
import { readPort } from "../../port.ts";
import type { Run, Shell } from "../../shell.ts";

interface InitOptions {
  readonly agent?: string;
  readonly port?: string;
  readonly force?: boolean;
}

interface Wishes {
  readonly agent: string;
  readonly port: number | undefined;
}

export function initCommand(shell: Shell): Command {
  return shell
    .single(
      "init",
      "write a settings file, create an agent, show how to connect",
      "Writes a settings file with every setting as a comment, creates an agent and a token, and shows how to connect a client. Asks where it can.",
      init,
      "",
      "--agent writer --port 19900",
    )
    .option("--agent <name>", "the agent to create; main when not given")
    .option("--port <port>", "the port the daemon should listen on")
    .option("--force", "replace an existing settings file");
}

async function init(run: Run, options: InitOptions): Promise<undefined> {
  const home = await homeHere(run.terminal);
  const existing = ["config.toml", "config.json"]
    .map((name) => join(home, name))
    .find((file) => existsSync(file));
  if (existing && !(options.force && existing.endsWith(".toml"))) throw exists(existing);

  const wishes = run.terminal.interactive && !run.json ? await ask(options) : wishesOf(options);
  const file = await writeSettings(home, wishes);
  const { agents } = await run.get<AgentList>("/api/agents");
  if (!agents.some((agent) => agent.name === wishes.agent))
    await run.send("POST", "/api/agents", { name: wishes.agent });
  const { token } = await run.send<TokenAnswer>("POST", "/api/tokens", {
    agent: wishes.agent,
    label: "init",
  });
  const { url } = await run.get<Status>("/api/status");

  const { clientSnippet } = await import("../../../daemon/client-snippet.ts");
  const name = ownName(run.terminal.env);
  run.print(
    { home, file, agent: wishes.agent, token, url },
    `Wrote ${file}.\nAgent ${wishes.agent} has a new token, shown this once.\n\n${clientSnippet({ url, token })}
What to do next:

  ${name} serve                    or: ${name} service install
  ${name} server add fs -- npx -y @modelcontextprotocol/server-filesystem .
  ${name} agent edit ${wishes.agent} --grant mcp_fs_read_text_file
`,
  );
}

async function writeSettings(home: string, { port }: Wishes): Promise<string> {
  const { configTemplate } = await import("../../config-template.ts");
  const file = join(home, "config.toml");
  await makeFolder(home);
  await writeFile(file, configTemplate(port === undefined ? {} : { port }), { mode: 0o600 });
  return file;
}

function wishesOf({ agent = "main", port }: InitOptions): Wishes {
  return { agent, port: port === undefined ? undefined : readPort(port) };
}

async function ask(options: InitOptions): Promise<Wishes> {
  const { intro, isCancel, text } = await import("@clack/prompts");
  intro("Toolkeep", { output: process.stderr });
  const answered = async (question: Parameters<typeof text>[0]) => {
    const answer = await text({ ...question, output: process.stderr });
    if (isCancel(answer)) throw new ToolkeepError("CANCELLED", "nothing was written");
    return answer;
  };
  const agent =
    options.agent ?? (await answered({ message: "Name of the first agent", initialValue: "main" }));
  const port = options.port ?? (await answered({ message: "Port of the daemon", initialValue: "19850" }));
  return { agent, port: port === "19850" ? undefined : readPort(port) };
}

function exists(file: string): ToolkeepError {
  const hint = file.endsWith(".toml")
    ? "pass --force to replace it"
    : "remove it first: only one settings file counts";
  return new ToolkeepError("BAD_USAGE", `${file} exists already; ${hint}`);
}
