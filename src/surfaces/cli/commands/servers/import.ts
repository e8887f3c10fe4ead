import { resolve } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Client } from "../../../../features/clients/client.ts";
import type { FoundServer } from "../../../../features/clients/import/found-server.ts";
import { candidateOf, isImported, previewOf } from "../../../../features/clients/import/import-preview.ts";
import { nearest } from "../../../../lib/nearest.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import type { ImportAnswer, ImportPreview, ImportServer, ImportVerdicts } from "../../../api/contract.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { confirmed } from "../../input/confirmed.ts";
import { ownEndpoint } from "../../own-endpoint.ts";
import { previewReport, resultReport } from "../../print/import-report.ts";
import type { Run, Shell } from "../../shell.ts";

interface ImportOptions {
  readonly client?: readonly string[];
  readonly file?: string;
  readonly only?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly wait: boolean;
}

interface Found {
  readonly servers: readonly FoundServer[];
  readonly preview: ImportPreview;
}

export function importCommand(shell: Shell): Command {
  return shell
    .single(
      "import",
      "bring in the servers of other MCP clients",
      "Finds the servers of Claude Code, Claude Desktop, Cursor, VS Code, Windsurf, Codex, Gemini CLI and opencode, shows what would happen, and registers them here. Values of env and headers are kept sealed. The clients' own files stay as they are.",
      importServers,
      "",
      "--client cursor vscode --only github --yes",
    )
    .option("--client <names...>", "only of these clients")
    .option("--file <path>", "only of this settings file")
    .option("--only <names...>", "only servers of these names")
    .option("--dry-run", "show what would happen, change nothing")
    .option("--yes", "do not ask")
    .option("--no-wait", "do not wait for their tools");
}

async function importServers(run: Run, options: ImportOptions): Promise<number> {
  const found = await find(run, options);
  const { preview } = found;
  const chosen = toImport(found);
  const report = previewReport(preview, run.terminal.columns);
  const failed = preview.files.some((file) => file.problem !== null) && options.file !== undefined ? 1 : 0;
  if (options.dryRun || chosen.length === 0) {
    run.print({ ...preview, results: [] }, report === "" ? NOTHING_FOUND : report + nothingToDo(chosen));
    return failed;
  }

  run.terminal.err(`${report}\n`);
  if (!options.yes) {
    await confirmed(run, `Register ${counted(chosen.length, "server")}?`, {
      first: "looking at the list",
      no: "nothing was imported",
    });
  }
  const { results } = await run.progress(
    options.wait
      ? `connecting to ${counted(chosen.length, "server")} and asking for their tools`
      : `registering ${counted(chosen.length, "server")}`,
    run.send<ImportAnswer>("POST", "/api/imports", {
      servers: chosen.map((server) => body(run, server)),
      wait: options.wait,
    }),
  );
  run.print(
    { ...preview, results },
    `${resultReport(results, preview.servers, run.terminal.columns)}\nLet a client use them: toolkeep connect CLIENT, or toolkeep agent edit AGENT --grant 'mcp:NAME:*'\n`,
  );
  return results.some((result) => result.error !== null) ? 1 : failed;
}

/** What the clients on this machine have, and what the daemon says about it. No value is sent for that. */
async function find(run: Run, options: ImportOptions): Promise<Found> {
  const { placeHere } = await import("../../../../features/clients/client.ts");
  const { discover } = await import("../../../../features/clients/discover.ts");
  const { readSettingsText } = await import("../../../../machine/config/edit/settings-text.ts");
  const { env, cwd } = run.terminal;
  const clients = await clientsNamed(options.client);
  const { servers: all, files } = await discover({
    place: placeHere(env, cwd),
    readText: readSettingsText,
    ownUrl: await ownEndpoint(run),
    ...(clients ? { clients } : {}),
    ...(options.file === undefined ? {} : { file: resolve(cwd, options.file) }),
  });
  const servers = only(all, options.only);
  const { verdicts } = await run.send<ImportVerdicts>("POST", "/api/imports/preview", {
    servers: servers.map(candidateOf),
  });
  const previews = servers.map((server, index) => previewOf(server, verdicts[index]!));
  return { servers, preview: { servers: previews, files } };
}

async function clientsNamed(names: readonly string[] | undefined): Promise<readonly Client[] | undefined> {
  if (names === undefined) return undefined;
  const { clientNamed } = await import("../../../../features/clients/clients.ts");
  return names.map(clientNamed);
}

function only(servers: readonly FoundServer[], names: readonly string[] | undefined): readonly FoundServer[] {
  if (names === undefined) return servers;
  const known = new Set(servers.flatMap(({ findings }) => findings.map((finding) => finding.name)));
  const wrong = names.find((name) => !known.has(name));
  if (wrong !== undefined) {
    const guess = nearest(wrong, known);
    const hint = guess
      ? `; did you mean ${guess}?`
      : `; there are ${printable([...known].join(", ")) || "none"}`;
    throw new ToolkeepError("NOT_FOUND", `no server of a client is named ${JSON.stringify(wrong)}${hint}`);
  }
  return servers.filter(({ findings }) => findings.some((finding) => names.includes(finding.name)));
}

function toImport({ servers, preview }: Found): readonly FoundServer[] {
  return servers.filter((_, index) => isImported(preview.servers[index]!.verdict));
}

/** A daemon elsewhere has no folder of this machine. */
function body({ terminal }: Run, server: FoundServer): ImportServer {
  const { cwd, ...fields } = server.fields;
  const folder = cwd === undefined || remoteDaemon(terminal.env) ? {} : { cwd };
  return { ...fields, ...folder, ...candidateOf(server) };
}

const NOTHING_FOUND =
  "No servers were found in the settings of any client. Register one: toolkeep server add NAME -- COMMAND ARGS…\n";

function nothingToDo(chosen: readonly FoundServer[]): string {
  return chosen.length > 0 ? "" : "\nThere is nothing to import.\n";
}
