import { dirname, isAbsolute, resolve } from "node:path";
import { parseEnv } from "node:util";
import { mapTexts } from "../../../lib/json.ts";
import { checkServerConfig, type ServerFields } from "../../../machine/config/sections/server-config.ts";
import type { Client, Place, ServerAt } from "../client.ts";
import { isToolkeep } from "../own-entry.ts";
import { type Reach, reachDigest, shownReach, showsSecret } from "../reach.ts";
import { type Loose, looseOf, referencesIn, withoutMissing } from "../references.ts";
import { type Expanded, expand, type Meanings } from "../variables.ts";
import { readWritten, type WrittenServer } from "./written-server.ts";

/** Where a server was found. */
export interface Finding {
  readonly client: string;
  readonly file: string;
  /** Its name there. */
  readonly name: string;
  readonly path: readonly string[];
  /** The project it belongs to; null for those of the user. */
  readonly folder: string | null;
}

/** A server of one or several clients, ready to be registered. Holds secrets: only `shown` is for people. */
export interface FoundServer {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly fields: ServerFields;
  readonly shown: {
    readonly reach: string;
    readonly envKeys: readonly string[];
    readonly headerKeys: readonly string[];
  };
  /** Of what it is, and of how it is written where that is not the same. */
  readonly digests: readonly string[];
  /** Null where it cannot be registered. */
  readonly loose: Loose | null;
  /** References that stand for nothing here; with any, it is registered without these values, and disabled. */
  readonly missing: readonly string[];
  /** The parts they stand in: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`. */
  readonly missingIn: readonly string[];
  readonly notes: readonly string[];
  /** Why it is not registered at all; null where it can be. */
  readonly skipped: string | null;
}

export interface FindDeps {
  readonly place: Place;
  readonly readText: (path: string) => Promise<string | undefined>;
  /** Toolkeep's own endpoint; null where it is not known. */
  readonly ownUrl: string | null;
}

/** Reads one entry of a client's settings. Resolves whatever the entry holds. */
export async function findServer(
  at: ServerAt,
  client: Pick<Client, "id" | "dialect">,
  file: string,
  deps: FindDeps,
): Promise<FoundServer> {
  const findings = [{ client: client.id, file, name: at.name, path: at.path, folder: at.folder }];
  const read = readWritten(at.value, client.dialect);
  if (!read.ok) return unusable(at.name, findings, read.error);
  const written = read.value;
  if (isToolkeep(written, deps.ownUrl)) return unusable(at.name, findings, "it is Toolkeep itself", written);

  const { home, env } = deps.place;
  const meanings = { env, home, folder: at.folder, near: dirname(file), readText: deps.readText };
  const expanded = await expandServer(written, client.dialect.variables, meanings);
  const isWhole = expanded.missing.length === 0;
  const references = await referencesIn(written, client.dialect.variables, meanings);
  const asWritten = reachOf(written, at.folder ?? home);
  const whole = reachOf(expanded.server, at.folder ?? home);
  const reach = isWhole ? whole : asWritten;
  const fields = fieldsOf(expanded.server, withoutMissing(whole, references.missingIn), isWhole);

  if (isTooLarge(at.name, whole))
    return unusable(at.name.slice(0, 200), findings, "it is too large", written);
  const checked = checkServerConfig("checked", fields, "stored");
  if (!checked.ok) {
    const why = isWhole
      ? checked.error.map(problemText).join("; ")
      : `nothing here says what ${expanded.missing.join(", ")} is`;
    return unusable(at.name, findings, why, written);
  }
  return {
    name: at.name,
    findings,
    fields,
    shown: {
      reach: shownReach(asWritten),
      envKeys: Object.keys(reach.env),
      headerKeys: Object.keys(reach.headers),
    },
    digests: [...new Set([reachDigest(reach), reachDigest(asWritten)])],
    loose: looseOf(whole, references, written.handedOn),
    missing: expanded.missing,
    missingIn: references.missingIn,
    notes: [
      ...written.notes,
      ...expanded.notes,
      ...(expanded.used.length > 0 ? [`gets from here: ${expanded.used.join(", ")}`] : []),
      ...openSecrets(reach, expanded.inTheOpen),
    ],
    skipped: null,
  };
}

interface ExpandedServer {
  readonly server: WrittenServer;
  readonly missing: readonly string[];
  /** References whose values stand in arguments or the address now. */
  readonly inTheOpen: readonly string[];
  /** All references that were replaced. */
  readonly used: readonly string[];
  readonly notes: readonly string[];
}

/** Every text with its references replaced, and the variables that come from elsewhere added. */
async function expandServer(
  written: WrittenServer,
  style: Client["dialect"]["variables"],
  meanings: Meanings,
): Promise<ExpandedServer> {
  const parts = { ...written, notes: [], variableHeaders: {} };
  const all = await expandTexts(parts, style, meanings);
  const open = await expandTexts([written.command, written.args, written.url], style, meanings);
  const variables = await expandTexts(written.variableHeaders, "braces", meanings);
  const server = { ...all.value, headers: { ...all.value.headers, ...variables.value } };

  const unset = written.handedOn.filter((name) => !meanings.env[name]);
  const handedOn = written.handedOn.filter((name) => meanings.env[name]);
  const file = await variablesOf(server.envFile, meanings);
  return {
    server: {
      ...server,
      env: {
        ...file.env,
        ...Object.fromEntries(handedOn.map((name) => [name, meanings.env[name]!])),
        ...server.env,
      },
    },
    missing: [...new Set([...all.missing, ...variables.missing])],
    inTheOpen: [...new Set(open.used)],
    used: [...new Set([...all.used, ...variables.used, ...handedOn])],
    notes: [
      ...(unset.length === 0 ? [] : [`not set here, so left out: ${unset.join(", ")}`]),
      ...(file.problem ? [file.problem] : []),
    ],
  };
}

async function expandTexts<T>(
  value: T,
  style: Client["dialect"]["variables"],
  meanings: Meanings,
): Promise<{ readonly value: T; readonly used: readonly string[]; readonly missing: readonly string[] }> {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  const expanded = new Map<string, Expanded>();
  for (const text of new Set(texts)) expanded.set(text, await expand(text, style, meanings));
  return {
    value: mapTexts(value, (text) => expanded.get(text)!.text),
    used: [...expanded.values()].flatMap(({ used }) => used),
    missing: [...expanded.values()].flatMap(({ missing }) => missing),
  };
}

async function variablesOf(
  envFile: string | null,
  { readText, folder, near, home }: Meanings,
): Promise<{ readonly env: Record<string, string>; readonly problem?: string }> {
  if (envFile === null) return { env: {} };
  const path = resolve(folder ?? near, envFile.replace(/^~(?=\/)/, home));
  const text = await readText(path);
  if (text === undefined) return { env: {}, problem: `its envFile ${path} cannot be read` };
  return { env: parseEnv(text) as Record<string, string> };
}

/** `folder` is where a local server starts that names no folder of its own. */
function reachOf(server: WrittenServer, folder: string): Reach {
  const { transport, command, args, env, cwd, url, headers, variableHeaders } = server;
  const start = cwd === null || isAbsolute(cwd) ? (cwd ?? folder) : resolve(folder, cwd);
  return {
    transport,
    command,
    args,
    env,
    cwd: transport === "stdio" ? start : null,
    url,
    headers: { ...variableHeaders, ...headers },
  };
}

function fieldsOf(server: WrittenServer, reach: Reach, isWhole: boolean): ServerFields {
  const { oauth, timeoutMs, connectTimeoutMs } = server;
  return {
    ...reach,
    enabled: server.enabled && isWhole,
    ...(oauth ? { oauth } : {}),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(connectTimeoutMs === null ? {} : { connectTimeoutMs }),
  };
}

/** More than the API takes of one server; everything else would be refused with it. */
function isTooLarge(name: string, { command, args, env, url, headers, cwd }: Reach): boolean {
  const values = [...args, ...Object.values(env), ...Object.values(headers)];
  const isMany = args.length > 1_000 || [env, headers].some((texts) => Object.keys(texts).length > 200);
  const isLong = [command, url, cwd].some((text) => (text?.length ?? 0) > 4_096);
  const hasLongKey = [env, headers].some((texts) => Object.keys(texts).some((key) => key.length > 4_096));
  return name.length > 200 || isMany || isLong || hasLongKey || values.some((value) => value.length > 65_536);
}

function openSecrets(reach: Reach, inTheOpen: readonly string[]): string[] {
  if (inTheOpen.length === 0 && !showsSecret(reach)) return [];
  const where = reach.url === null ? "an argument" : "the address";
  const what = inTheOpen.length === 0 ? "what looks like a secret" : `the value of ${inTheOpen.join(", ")}`;
  return [`${where} holds ${what}; it is safer in a variable or header, which are kept sealed`];
}

function unusable(
  name: string,
  findings: readonly Finding[],
  skipped: string,
  written?: WrittenServer,
): FoundServer {
  return {
    name,
    findings,
    fields: {},
    shown: {
      reach: written ? shownReach(written) : "",
      envKeys: Object.keys(written?.env ?? {}),
      headerKeys: Object.keys(written?.headers ?? {}),
    },
    digests: [],
    loose: null,
    missing: [],
    missingIn: [],
    notes: [],
    skipped,
  };
}

function problemText(problem: { path: readonly PropertyKey[]; expected: string; got: string }): string {
  return `${problem.path.map(String).join(".")}: expected ${problem.expected}, got ${problem.got}`;
}
