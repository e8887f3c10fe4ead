import type { Client, ClientFile, HostContext, Scope } from "../../../features/clients/client.ts";
import type { ConnectDeps, UndoResult } from "../../../features/clients/connect-client.ts";
import type { DiscoveredServer } from "../../../features/clients/import/discovered-server.ts";
import { isImported, toCandidate } from "../../../features/clients/import/import-preview.ts";
import { path } from "../../../lib/http/api-path.ts";
import type { ImportVerdicts, ServerAnswer, TestReport } from "../../api/contract.ts";
import { formatStateName } from "../print/server-text.ts";
import type { Run } from "../shell.ts";

/** The servers in a client's settings besides Toolkeep. */
export interface DuplicateServers {
  /** Servers that Toolkeep also has, with their names there. The client offers their tools twice. */
  readonly registered: readonly (DiscoveredServer & { readonly registeredAs: string })[];
  /** Names of servers that Toolkeep does not have. */
  readonly others: readonly string[];
}

/** Compares the servers in the client's settings of this scope with those of Toolkeep. */
export async function findDuplicateServers(
  run: Run,
  client: Client,
  { host, scope, ownUrl }: { host: HostContext; scope: Scope; ownUrl: string | null },
): Promise<DuplicateServers> {
  const { discover } = await import("../../../features/clients/discover.ts");
  const { readSettingsText } = await import("../../../machine/config/edit/settings-text.ts");
  const files = client.files(host).filter((file) => file.scope === scope);
  const only = { ...client, files: () => files };
  const { servers } = await discover({ host, readText: readSettingsText, ownUrl, clients: [only] });
  const { verdicts } = await run.send<ImportVerdicts>("POST", "/api/imports/preview", {
    servers: servers.map(toCandidate),
  });
  return {
    registered: servers.flatMap((server, index) => {
      const verdict = verdicts[index]!;
      return verdict.kind === "same" ? [{ ...server, registeredAs: verdict.name }] : [];
    }),
    others: servers.filter((_, index) => isImported(verdicts[index]!)).map((server) => server.name),
  };
}

/** Puts moved servers back into the client's other settings files of this scope; `target` is handled by the caller. */
export async function restoreMovedServers(
  client: Client,
  { host, scope, target }: { host: HostContext; scope: Scope; target: ClientFile },
): Promise<UndoResult[]> {
  const { restoreServers } = await import("../../../features/clients/connect-client.ts");
  const others = client
    .files(host)
    .filter((file) => file.scope === scope && !file.readOnly && file.path !== target.path);
  const undone: UndoResult[] = [];
  for (const file of others) {
    const one = await restoreServers(file);
    if (one) undone.push(one);
  }
  return undone;
}

/** The names of the servers removed from the client, and why others stayed. */
export interface MoveResult {
  readonly moved: readonly string[];
  readonly kept: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Removes servers from the client's files, each after a backup. Only servers that Toolkeep can run are removed, since
 * the person wants to keep using them.
 */
export async function moveServers(
  run: Run,
  { registered }: DuplicateServers,
  client: Client,
  deps: ConnectDeps,
): Promise<MoveResult> {
  const { removeServers } = await import("../../../features/clients/connect-client.ts");
  const writable = new Set(
    client
      .files(deps.host)
      .filter((file) => !file.readOnly)
      .map((file) => file.path),
  );
  const kept: { name: string; reason: string }[] = [];
  const moved: DiscoveredServer[] = [];
  for (const server of registered) {
    if (!server.locations.every(({ file }) => writable.has(file))) continue;
    const reason = await explainCannotRun(run, server.registeredAs);
    if (reason === undefined) moved.push(server);
    else kept.push({ name: server.name, reason });
  }
  const findings = moved.flatMap((server) => server.locations);
  for (const file of new Set(findings.map((finding) => finding.file))) {
    const keys = findings.filter((finding) => finding.file === file).map((finding) => finding.path);
    await removeServers(file, keys, deps);
  }
  return { moved: moved.map((server) => server.name), kept };
}

/** Why Toolkeep cannot run a server; undefined if it can. A server that is not connected is tested. */
async function explainCannotRun(run: Run, name: string): Promise<string | undefined> {
  const route = path`/api/servers/${name}`;
  const { server } = await run.get<ServerAnswer>(route);
  if (server.state === "ready") return undefined;
  if (server.state === "disabled" || server.state === "pending_approval")
    return `it is ${formatStateName(server.state)}`;
  const report = await run.progress(`testing ${name}`, run.send<TestReport>("POST", `${route}/test`));
  return report.ok ? undefined : report.error;
}
