import { basename, dirname } from "node:path";
import type { Result } from "../../lib/result.ts";
import { isToml, parseSettings } from "../../machine/config/edit/settings-document.ts";
import type { NoText, SettingsText } from "../../machine/config/edit/settings-text.ts";
import type { Client, ClientFile, HostContext } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import type { ImportedFile } from "./contract.ts";
import { type DiscoveredServer, readServer } from "./import/discovered-server.ts";
import { claudeCode } from "./kinds/claude-code.ts";
import { codex } from "./kinds/codex.ts";
import { listServers } from "./list-servers.ts";

export type ReadText = (path: string, maxBytes?: number) => Promise<Result<SettingsText, NoText>>;

export interface DiscoverOptions {
  readonly host: HostContext;
  readonly readText: ReadText;
  /** Toolkeep's own endpoint; null if unknown. */
  readonly ownUrl: string | null;
  /** Only these clients; all by default. */
  readonly clients?: readonly Client[];
  /** Only this file, whichever client it belongs to. */
  readonly file?: string;
}

export interface Discovery {
  /** Each server once, with every client that has it. */
  readonly servers: readonly DiscoveredServer[];
  /** The files that exist. */
  readonly files: readonly ImportedFile[];
}

const MAX_SERVERS = 1_000;
const MAX_NAMED_FILE_BYTES = 65_536;

/** Reads the servers of every client and changes nothing. A broken file is reported, and the others are still read. */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const discovered: DiscoveredServer[] = [];
  const files: ImportedFile[] = [];
  for (const [client, file] of listFiles(options)) {
    const read = await options.readText(file.path);
    if (!read.ok && read.error === "absent") {
      if (options.file === undefined) continue;
      files.push(describeFile(client, file, 0, "the file does not exist"));
      continue;
    }
    const settings = read.ok
      ? parseSettings(file.path, read.value.text)
      : { ok: false as const, error: (read.error as { problem: string }).problem };
    if (!settings.ok) {
      files.push(describeFile(client, file, 0, settings.error));
      continue;
    }
    const entries = listServers(settings.value, file);
    const accepted = entries.slice(0, MAX_SERVERS - discovered.length);
    const omitted = entries.length - accepted.length;
    for (const at of accepted)
      discovered.push(await readServer(at, client, file.path, createReadDeps(options)));
    files.push(
      describeFile(
        client,
        file,
        accepted.length,
        omitted > 0 ? `${omitted} more servers were skipped` : null,
      ),
    );
  }
  return { servers: mergeServers(discovered), files };
}

function listFiles({ host, clients = CLIENTS, file }: DiscoverOptions): (readonly [Client, ClientFile])[] {
  const clientFiles = clients.flatMap((client) => client.files(host).map((one) => [client, one] as const));
  if (file === undefined) return clientFiles;
  return [
    clientFiles.find(([, one]) => one.path === file) ?? [
      guessClient(file, clients),
      describeUnknownFile(file),
    ],
  ];
}

/** The client of a file that no client looks for: the only one the person named, else a guess by format. */
function guessClient(file: string, clients: readonly Client[]): Client {
  if (clients.length === 1) return clients[0]!;
  const dialect = isToml(file) ? codex.dialect : claudeCode.dialect;
  return { ...claudeCode, id: "file", title: "file", dialect };
}

/** A file with the locations of all clients. Its servers belong to the project that contains it. */
function describeUnknownFile(path: string): ClientFile {
  const inside = dirname(path);
  const folder = /^\.\w+$/.test(basename(inside)) ? dirname(inside) : inside;
  const paths = [["mcpServers"], ["servers"], ["mcp_servers"], ["mcp"], ["mcp", "servers"]];
  return { path, scope: "project", locations: paths.map((keys) => ({ path: keys, folder })) };
}

function createReadDeps({ host, readText, ownUrl }: DiscoverOptions) {
  return {
    host,
    ownUrl,
    readText: async (path: string) => {
      const read = await readText(path, MAX_NAMED_FILE_BYTES);
      return read.ok ? read.value.text : undefined;
    },
  };
}

function describeFile(
  client: Client,
  file: ClientFile,
  servers: number,
  problem: string | null,
): ImportedFile {
  return { client: client.id, path: file.path, servers, problem };
}

/** Merges the same server of several clients into one, under its first name. It is enabled if it is enabled anywhere. */
function mergeServers(found: readonly DiscoveredServer[]): DiscoveredServer[] {
  const byDigest = new Map<string, number>();
  const servers: DiscoveredServer[] = [];
  for (const server of found) {
    const [digest] = server.digests;
    const index = digest === undefined ? undefined : byDigest.get(digest);
    if (index === undefined) {
      if (digest !== undefined) byDigest.set(digest, servers.length);
      servers.push(server);
    } else {
      servers[index] = combineServers(servers[index]!, server);
    }
  }
  return servers;
}

function combineServers(first: DiscoveredServer, other: DiscoveredServer): DiscoveredServer {
  return {
    ...first,
    locations: [...first.locations, ...other.locations],
    fields: { ...first.fields, enabled: first.fields.enabled === true || other.fields.enabled === true },
    digests: [...new Set([...first.digests, ...other.digests])],
    notes: [...new Set([...first.notes, ...other.notes])],
  };
}
