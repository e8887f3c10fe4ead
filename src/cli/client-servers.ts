import type { ImportVerdicts } from "../api/contract.ts";
import type { Client, ClientFile, Place, Scope } from "../clients/client.ts";
import type { ConnectDeps, Undone } from "../clients/connect-client.ts";
import type { FoundServer } from "../clients/found-server.ts";
import { candidateOf, isImported } from "../clients/import-preview.ts";
import type { Run } from "./shell.ts";

/** What a client has beside Toolkeep. */
export interface DoubleServers {
  /** Servers that Toolkeep has too: the client offers them twice. */
  readonly registered: readonly FoundServer[];
  /** Names of those that Toolkeep does not have. */
  readonly others: readonly string[];
}

/** The servers in the client's settings of this scope. */
export async function doubleServers(
  run: Run,
  client: Client,
  { place, scope, ownUrl }: { place: Place; scope: Scope; ownUrl: string | null },
): Promise<DoubleServers> {
  const { discover } = await import("../clients/discover.ts");
  const { readSettingsText } = await import("../clients/settings-text.ts");
  const files = client.files(place).filter((file) => file.scope === scope);
  const only = { ...client, files: () => files };
  const { servers } = await discover({ place, readText: readSettingsText, ownUrl, clients: [only] });
  const { verdicts } = await run.send<ImportVerdicts>("POST", "/api/imports/preview", {
    servers: servers.map(candidateOf),
  });
  return {
    registered: servers.filter((_, index) => verdicts[index]!.kind === "same"),
    others: servers.filter((_, index) => isImported(verdicts[index]!)).map((server) => server.name),
  };
}

/** Undoes moves out of the client's files of this scope beside the one Toolkeep stood in. */
export async function restoreMoved(
  client: Client,
  { place, scope, target }: { place: Place; scope: Scope; target: ClientFile },
): Promise<Undone[]> {
  const { restoreServers } = await import("../clients/connect-client.ts");
  const others = client
    .files(place)
    .filter((file) => file.scope === scope && !file.readOnly && file.path !== target.path);
  const undone: Undone[] = [];
  for (const file of others) {
    const one = await restoreServers(file);
    if (one) undone.push(one);
  }
  return undone;
}

/** Takes them out of the client's files, each after a backup; resolves with the names of those that are gone. */
export async function moveServers(
  { registered }: DoubleServers,
  client: Client,
  deps: ConnectDeps,
): Promise<string[]> {
  const { removeServers } = await import("../clients/connect-client.ts");
  const writable = new Set(
    client
      .files(deps.place)
      .filter((file) => !file.readOnly)
      .map((file) => file.path),
  );
  const moved = registered.filter(({ findings }) => findings.every(({ file }) => writable.has(file)));
  const findings = moved.flatMap((server) => server.findings);
  for (const file of new Set(findings.map((finding) => finding.file))) {
    const keys = findings.filter((finding) => finding.file === file).map((finding) => finding.path);
    await removeServers(file, keys, deps);
  }
  return moved.map((server) => server.name);
}
