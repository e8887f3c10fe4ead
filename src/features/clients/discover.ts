import { basename, dirname } from "node:path";
import type { Result } from "../../lib/result.ts";
import { isToml, parseSettings } from "../../machine/config/edit/settings-document.ts";
import type { NoText, SettingsText } from "../../machine/config/edit/settings-text.ts";
import type { Client, ClientFile, Place } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import { type FoundServer, findServer } from "./import/found-server.ts";
import { claudeCode } from "./kinds/claude-code.ts";
import { codex } from "./kinds/codex.ts";
import { serversIn } from "./servers-in.ts";

export type ReadText = (path: string, maxBytes?: number) => Promise<Result<SettingsText, NoText>>;

export interface DiscoverOptions {
  readonly place: Place;
  readonly readText: ReadText;
  /** Toolkeep's own endpoint; null where it is not known. */
  readonly ownUrl: string | null;
  /** Only these; all of them where it is left out. */
  readonly clients?: readonly Client[];
  /** Only this file, whoever it belongs to. */
  readonly file?: string;
}

/** What became of one settings file. */
export interface ReadFile {
  readonly client: string;
  readonly path: string;
  readonly servers: number;
  /** Why it was left out, with the line; null where it was read. */
  readonly problem: string | null;
}

export interface Discovery {
  /** Each once, with every client that has it. */
  readonly servers: readonly FoundServer[];
  /** The files that exist. */
  readonly files: readonly ReadFile[];
}

const MAX_SERVERS = 1_000;
const MAX_NAMED_FILE_BYTES = 65_536;

/** Reads the servers of every client. Changes nothing; a file that is broken is told and the others are read. */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const found: FoundServer[] = [];
  const files: ReadFile[] = [];
  for (const [client, file] of filesToRead(options)) {
    const read = await options.readText(file.path);
    if (!read.ok && read.error === "absent") {
      if (options.file === undefined) continue;
      files.push(readFile(client, file, 0, "there is no such file"));
      continue;
    }
    const settings = read.ok
      ? parseSettings(file.path, read.value.text)
      : { ok: false as const, error: (read.error as { problem: string }).problem };
    if (!settings.ok) {
      files.push(readFile(client, file, 0, settings.error));
      continue;
    }
    const all = serversIn(settings.value, file);
    const some = all.slice(0, MAX_SERVERS - found.length);
    const left = all.length - some.length;
    for (const at of some) found.push(await findServer(at, client, file.path, findDeps(options)));
    files.push(readFile(client, file, some.length, left > 0 ? `${left} more servers were left out` : null));
  }
  return { servers: merged(found), files };
}

function filesToRead({ place, clients = CLIENTS, file }: DiscoverOptions): (readonly [Client, ClientFile])[] {
  const theirs = clients.flatMap((client) => client.files(place).map((one) => [client, one] as const));
  if (file === undefined) return theirs;
  return [theirs.find(([, one]) => one.path === file) ?? [ownerOf(file, clients), anyFile(file)]];
}

/** Whose a file is that no client looks for is not known, unless the person says so. */
function ownerOf(file: string, clients: readonly Client[]): Client {
  if (clients.length === 1) return clients[0]!;
  const dialect = isToml(file) ? codex.dialect : claudeCode.dialect;
  return { ...claudeCode, id: "file", title: "file", dialect };
}

/** The places of all clients. Its servers belong to the project it stands in. */
function anyFile(path: string): ClientFile {
  const inside = dirname(path);
  const folder = /^\.\w+$/.test(basename(inside)) ? dirname(inside) : inside;
  const places = [["mcpServers"], ["servers"], ["mcp_servers"], ["mcp"], ["mcp", "servers"]];
  return { path, scope: "project", at: places.map((keys) => ({ path: keys, folder })) };
}

function findDeps({ place, readText, ownUrl }: DiscoverOptions) {
  return {
    place,
    ownUrl,
    readText: async (path: string) => {
      const read = await readText(path, MAX_NAMED_FILE_BYTES);
      return read.ok ? read.value.text : undefined;
    },
  };
}

function readFile(client: Client, file: ClientFile, servers: number, problem: string | null): ReadFile {
  return { client: client.id, path: file.path, servers, problem };
}

/** The same server of several clients becomes one, under its first name; it takes part if it does anywhere. */
function merged(found: readonly FoundServer[]): FoundServer[] {
  const byDigest = new Map<string, number>();
  const servers: FoundServer[] = [];
  for (const server of found) {
    const [digest] = server.digests;
    const index = digest === undefined ? undefined : byDigest.get(digest);
    if (index === undefined) {
      if (digest !== undefined) byDigest.set(digest, servers.length);
      servers.push(server);
    } else {
      servers[index] = together(servers[index]!, server);
    }
  }
  return servers;
}

function together(first: FoundServer, other: FoundServer): FoundServer {
  return {
    ...first,
    findings: [...first.findings, ...other.findings],
    fields: { ...first.fields, enabled: first.fields.enabled === true || other.fields.enabled === true },
    digests: [...new Set([...first.digests, ...other.digests])],
    notes: [...new Set([...first.notes, ...other.notes])],
  };
}
