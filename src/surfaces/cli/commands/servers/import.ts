import { resolve } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Client } from "../../../../features/clients/client.ts";
import type { DiscoveredServer } from "../../../../features/clients/import/discovered-server.ts";
import { isImported, toCandidate, toPreview } from "../../../../features/clients/import/import-preview.ts";
import { nearest } from "../../../../lib/nearest.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import type { ImportAnswer, ImportPreview, ImportServer, ImportVerdicts } from "../../../api/contract.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { requireConfirmation } from "../../input/confirm.ts";
import { getOwnEndpoint } from "../../own-endpoint.ts";
import { formatPreview, formatResults } from "../../print/import-report.ts";
import type { Run, Shell } from "../../shell.ts";

interface ImportOptions {
  readonly client?: readonly string[];
  readonly file?: string;
  readonly only?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly wait: boolean;
}

interface Discovery {
  readonly servers: readonly DiscoveredServer[];
  readonly preview: ImportPreview;
}

export function importCommand(shell: Shell): Command {
  return shell
    .single(
      "import",
      "Import servers from other MCP clients",
      "Find the servers of Claude Code, Claude Desktop, Cursor, VS Code, Windsurf, Codex, Gemini CLI and opencode, show a preview and register them. Values of env and headers are stored encrypted. The clients' settings are not changed.",
      importServers,
      "",
      "--client cursor vscode --only github --yes",
    )
    .option("--client <names...>", "Only from these clients")
    .option("--file <path>", "Only from this settings file")
    .option("--only <names...>", "Only servers with these names")
    .option("--dry-run", "Show the preview and change nothing")
    .option("--yes", "Skip the confirmation")
    .option("--no-wait", "Do not wait for their tools");
}

async function importServers(run: Run, options: ImportOptions): Promise<number> {
  const discovery = await discoverServers(run, options);
  const { preview } = discovery;
  const selected = selectImports(discovery);
  const report = formatPreview(preview, run.terminal.columns);
  const failed = preview.files.some((file) => file.problem !== null) && options.file !== undefined ? 1 : 0;
  if (options.dryRun || selected.length === 0) {
    run.print(
      { ...preview, results: [] },
      report === "" ? NOTHING_FOUND : report + formatNothingToDo(selected),
    );
    return failed;
  }

  run.terminal.err(`${report}\n`);
  if (!options.yes) {
    await requireConfirmation(run, `Register ${counted(selected.length, "server")}?`, {
      first: "reviewing the list",
      refused: "cancelled; nothing was imported",
    });
  }
  const { results } = await run.progress(
    options.wait
      ? `connecting to ${counted(selected.length, "server")} and listing their tools`
      : `registering ${counted(selected.length, "server")}`,
    run.send<ImportAnswer>("POST", "/api/imports", {
      servers: selected.map((server) => buildBody(run, server)),
      wait: options.wait,
    }),
  );
  run.print(
    { ...preview, results },
    `${formatResults(results, preview.servers, run.terminal.columns)}\nUse them from a client: toolkeep connect CLIENT, or grant them: toolkeep agent edit AGENT --grant 'mcp:NAME:*'\n`,
  );
  return results.some((result) => result.error !== null) ? 1 : failed;
}

/** Finds the servers of the clients on this machine and asks the daemon what an import would do. Sends no secret values. */
async function discoverServers(run: Run, options: ImportOptions): Promise<Discovery> {
  const { getHostContext } = await import("../../../../features/clients/client.ts");
  const { discover } = await import("../../../../features/clients/discover.ts");
  const { readSettingsText } = await import("../../../../machine/config/edit/settings-text.ts");
  const { env, cwd } = run.terminal;
  const clients = await findClients(options.client);
  const { servers: all, files } = await discover({
    host: getHostContext(env, cwd),
    readText: readSettingsText,
    ownUrl: await getOwnEndpoint(run),
    ...(clients ? { clients } : {}),
    ...(options.file === undefined ? {} : { file: resolve(cwd, options.file) }),
  });
  const servers = filterByName(all, options.only);
  const { verdicts } = await run.send<ImportVerdicts>("POST", "/api/imports/preview", {
    servers: servers.map(toCandidate),
  });
  const previews = servers.map((server, index) => toPreview(server, verdicts[index]!));
  return { servers, preview: { servers: previews, files } };
}

async function findClients(names: readonly string[] | undefined): Promise<readonly Client[] | undefined> {
  if (names === undefined) return undefined;
  const { findClient } = await import("../../../../features/clients/clients.ts");
  return names.map(findClient);
}

function filterByName(
  servers: readonly DiscoveredServer[],
  names: readonly string[] | undefined,
): readonly DiscoveredServer[] {
  if (names === undefined) return servers;
  const known = new Set(servers.flatMap(({ locations }) => locations.map((finding) => finding.name)));
  const wrong = names.find((name) => !known.has(name));
  if (wrong !== undefined) {
    const guess = nearest(wrong, known);
    const hint = guess
      ? `; did you mean ${guess}?`
      : `; found: ${printable([...known].join(", ")) || "none"}`;
    throw new ToolkeepError("NOT_FOUND", `no client has a server named ${JSON.stringify(wrong)}${hint}`);
  }
  return servers.filter(({ locations }) => locations.some((finding) => names.includes(finding.name)));
}

function selectImports({ servers, preview }: Discovery): readonly DiscoveredServer[] {
  return servers.filter((_, index) => isImported(preview.servers[index]!.verdict));
}

/** A remote daemon does not have the folders of this machine, so `cwd` is left out. */
function buildBody({ terminal }: Run, server: DiscoveredServer): ImportServer {
  const { cwd, ...fields } = server.fields;
  const folder = cwd === undefined || readRemoteDaemon(terminal.env) ? {} : { cwd };
  return { ...fields, ...folder, ...toCandidate(server) };
}

const NOTHING_FOUND =
  "No servers found in the settings of any client. Register one: toolkeep server add NAME -- COMMAND ARGS…\n";

function formatNothingToDo(selected: readonly DiscoveredServer[]): string {
  return selected.length > 0 ? "" : "\nNothing to import.\n";
}
