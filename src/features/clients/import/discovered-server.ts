import { dirname, isAbsolute, resolve } from "node:path";
import { parseEnv } from "node:util";
import { mapTexts } from "../../../lib/json.ts";
import { checkServerConfig } from "../../../machine/config/sections/server-config.ts";
import type { Client, HostContext, RawServerEntry } from "../client.ts";
import type { ImportFields, LooseIdentity } from "../contract.ts";
import { isToolkeep } from "../own-entry.ts";
import { containsSecret, digestReach, maskReach, type Reach } from "../reach.ts";
import { buildLooseIdentity, dropMissing, findReferences } from "../references.ts";
import { type ExpandedText, expand, type VariableContext } from "../variables.ts";
import { parseServerEntry, type ServerEntry } from "./server-entry.ts";

/** The entry of a server in a client's settings. */
export interface ServerLocation {
  readonly client: string;
  readonly file: string;
  /** Its name there. */
  readonly name: string;
  readonly path: readonly string[];
  /** The project it belongs to; null for the user's servers. */
  readonly folder: string | null;
}

/** A server of one or more clients, ready to be registered. Contains secrets; only `display` may be shown to people. */
export interface DiscoveredServer {
  readonly name: string;
  readonly locations: readonly ServerLocation[];
  readonly fields: ImportFields;
  readonly display: {
    readonly reach: string;
    readonly envKeys: readonly string[];
    readonly headerKeys: readonly string[];
  };
  /** The digest of the server with its values, and that of the unexpanded entry if it differs. */
  readonly digests: readonly string[];
  /** Null if it cannot be registered. */
  readonly loose: LooseIdentity | null;
  /** References without a value here. If there are any, the server is registered without these values and disabled. */
  readonly missing: readonly string[];
  /** The parts with these references: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`. */
  readonly missingIn: readonly string[];
  readonly notes: readonly string[];
  /** Why it cannot be registered; null if it can. */
  readonly skipped: string | null;
}

export interface FindDeps {
  readonly host: HostContext;
  readonly readText: (path: string) => Promise<string | undefined>;
  /** Toolkeep's own endpoint; null if unknown. */
  readonly ownUrl: string | null;
}

/** Reads one entry of a client's settings. Never rejects, whatever the entry contains. */
export async function readServer(
  at: RawServerEntry,
  client: Pick<Client, "id" | "dialect">,
  file: string,
  deps: FindDeps,
): Promise<DiscoveredServer> {
  const locations = [{ client: client.id, file, name: at.name, path: at.path, folder: at.folder }];
  const read = parseServerEntry(at.value, client.dialect);
  if (!read.ok) return createUnusable(at.name, locations, read.error);
  const written = read.value;
  if (isToolkeep(written, deps.ownUrl))
    return createUnusable(at.name, locations, "this is Toolkeep itself", written);

  const { home, env } = deps.host;
  const context = { env, home, folder: at.folder, near: dirname(file), readText: deps.readText };
  const expanded = await expandServer(written, client.dialect.variables, context);
  const isComplete = expanded.missing.length === 0;
  const references = await findReferences(written, client.dialect.variables, context);
  const writtenReach = toReach(written, at.folder ?? home);
  const expandedReach = toReach(expanded.server, at.folder ?? home);
  const reach = isComplete ? expandedReach : writtenReach;
  const fields = toFields(expanded.server, dropMissing(expandedReach, references.missingIn), isComplete);

  if (isTooLarge(at.name, expandedReach))
    return createUnusable(at.name.slice(0, 200), locations, "the entry is too large", written);
  const checked = checkServerConfig("checked", fields, "stored");
  if (!checked.ok) {
    const reason = isComplete
      ? checked.error.map(formatProblem).join("; ")
      : `${expanded.missing.join(", ")} has no value here`;
    return createUnusable(at.name, locations, reason, written);
  }
  return {
    name: at.name,
    locations: locations,
    fields,
    display: {
      reach: maskReach(writtenReach),
      envKeys: Object.keys(reach.env),
      headerKeys: Object.keys(reach.headers),
    },
    digests: [...new Set([digestReach(reach), digestReach(writtenReach)])],
    loose: buildLooseIdentity(expandedReach, references, written.passedVariables),
    missing: expanded.missing,
    missingIn: references.missingIn,
    notes: [
      ...written.notes,
      ...expanded.notes,
      ...(expanded.used.length > 0
        ? [`takes values from your environment: ${expanded.used.join(", ")}`]
        : []),
      ...warnAboutSecrets(reach, expanded.exposed),
    ],
    skipped: null,
  };
}

interface ExpandedServer {
  readonly server: ServerEntry;
  readonly missing: readonly string[];
  /** References whose values are now in the arguments or the address. */
  readonly exposed: readonly string[];
  /** All expanded references. */
  readonly used: readonly string[];
  readonly notes: readonly string[];
}

/** Expands the references in every text and adds the variables that come from elsewhere. */
async function expandServer(
  written: ServerEntry,
  style: Client["dialect"]["variables"],
  context: VariableContext,
): Promise<ExpandedServer> {
  const parts = { ...written, notes: [], variableHeaders: {} };
  const all = await expandTexts(parts, style, context);
  const open = await expandTexts([written.command, written.args, written.url], style, context);
  const variables = await expandTexts(written.variableHeaders, "braces", context);
  const server = { ...all.value, headers: { ...all.value.headers, ...variables.value } };

  const unset = written.passedVariables.filter((name) => !context.env[name]);
  const passedVariables = written.passedVariables.filter((name) => context.env[name]);
  const file = await readEnvFile(server.envFile, context);
  return {
    server: {
      ...server,
      env: {
        ...file.env,
        ...Object.fromEntries(passedVariables.map((name) => [name, context.env[name]!])),
        ...server.env,
      },
    },
    missing: [...new Set([...all.missing, ...variables.missing])],
    exposed: [...new Set(open.used)],
    used: [...new Set([...all.used, ...variables.used, ...passedVariables])],
    notes: [
      ...(unset.length === 0 ? [] : [`not set here, so skipped: ${unset.join(", ")}`]),
      ...(file.problem ? [file.problem] : []),
    ],
  };
}

async function expandTexts<T>(
  value: T,
  style: Client["dialect"]["variables"],
  context: VariableContext,
): Promise<{ readonly value: T; readonly used: readonly string[]; readonly missing: readonly string[] }> {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  const expanded = new Map<string, ExpandedText>();
  for (const text of new Set(texts)) expanded.set(text, await expand(text, style, context));
  return {
    value: mapTexts(value, (text) => expanded.get(text)!.text),
    used: [...expanded.values()].flatMap(({ used }) => used),
    missing: [...expanded.values()].flatMap(({ missing }) => missing),
  };
}

async function readEnvFile(
  envFile: string | null,
  { readText, folder, near, home }: VariableContext,
): Promise<{ readonly env: Record<string, string>; readonly problem?: string }> {
  if (envFile === null) return { env: {} };
  const path = resolve(folder ?? near, envFile.replace(/^~(?=\/)/, home));
  const text = await readText(path);
  if (text === undefined) return { env: {}, problem: `its envFile ${path} cannot be read` };
  return { env: parseEnv(text) as Record<string, string> };
}

/** `folder` is the working directory of a local server that names none. */
function toReach(server: ServerEntry, folder: string): Reach {
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

function toFields(server: ServerEntry, reach: Reach, isComplete: boolean): ImportFields {
  const { oauth, timeoutMs, connectTimeoutMs } = server;
  return {
    ...reach,
    enabled: server.enabled && isComplete,
    ...(oauth ? { oauth } : {}),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(connectTimeoutMs === null ? {} : { connectTimeoutMs }),
  };
}

/** Whether it exceeds the API's limits, which would make the whole import fail. */
function isTooLarge(name: string, { command, args, env, url, headers, cwd }: Reach): boolean {
  const values = [...args, ...Object.values(env), ...Object.values(headers)];
  const isMany = args.length > 1_000 || [env, headers].some((texts) => Object.keys(texts).length > 200);
  const isLong = [command, url, cwd].some((text) => (text?.length ?? 0) > 4_096);
  const hasLongKey = [env, headers].some((texts) => Object.keys(texts).some((key) => key.length > 4_096));
  return name.length > 200 || isMany || isLong || hasLongKey || values.some((value) => value.length > 65_536);
}

function warnAboutSecrets(reach: Reach, exposed: readonly string[]): string[] {
  if (exposed.length === 0 && !containsSecret(reach)) return [];
  const where = reach.url === null ? "an argument" : "the address";
  const what = exposed.length === 0 ? "what looks like a secret" : `the value of ${exposed.join(", ")}`;
  return [`${where} contains ${what}; it is safer in a variable or header, which are stored encrypted`];
}

function createUnusable(
  name: string,
  locations: readonly ServerLocation[],
  skipped: string,
  written?: ServerEntry,
): DiscoveredServer {
  return {
    name,
    locations,
    fields: {},
    display: {
      reach: written ? maskReach(written) : "",
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

function formatProblem(problem: { path: readonly PropertyKey[]; expected: string; got: string }): string {
  return `${problem.path.map(String).join(".")}: expected ${problem.expected}, got ${problem.got}`;
}
