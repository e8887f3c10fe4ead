import { checkServerConfig } from "../../../machine/config/sections/server-config.ts";
import type { ServerConfig } from "../../../machine/config/settings.ts";
import type { ImportCandidate, ImportVerdict } from "../contract.ts";
import { digestReachLoosely, findMissingParts, type Reach } from "../reach.ts";

/** A server that is registered in Toolkeep. */
export interface RegisteredServer {
  readonly name: string;
  readonly digest: string;
  readonly reach: Reach;
  readonly enabled: boolean;
  readonly source: ServerConfig["source"];
}

/** Returns one verdict per candidate, in order. No name is assigned twice. */
export function planImport(
  candidates: readonly ImportCandidate[],
  registered: readonly RegisteredServer[],
): ImportVerdict[] {
  const taken = new Set(registered.map(({ name }) => name));
  return candidates.map((candidate) => {
    const verdict =
      matchExactly(candidate, registered) ??
      matchLoosely(candidate, registered) ??
      chooseName(candidate, taken);
    if ("name" in verdict) taken.add(verdict.name);
    return verdict;
  });
}

function matchExactly(
  { digests, skipped }: ImportCandidate,
  registered: readonly RegisteredServer[],
): ImportVerdict | undefined {
  if (skipped) return { kind: "skipped", reason: skipped };
  const [digest, ...asWritten] = digests;
  const same = registered.find((server) => server.digest === digest);
  if (same) return { kind: "same", name: same.name };
  const incomplete = registered.find(
    (server) => server.source === "stored" && asWritten.includes(server.digest),
  );
  return incomplete && { kind: "completed", name: incomplete.name };
}

/**
 * Recognises a server that was imported before and whose values changed since. Only names that an import would assign
 * match, because two accounts of one service differ only in a value and the name.
 */
function matchLoosely(
  candidate: ImportCandidate,
  registered: readonly RegisteredServer[],
): ImportVerdict | undefined {
  const { loose } = candidate;
  if (!loose) return undefined;
  const ignored = [...loose.references, ...loose.optional];
  const candidates = registered.filter(
    ({ name, reach }) =>
      couldHaveName(candidate, name) && digestReachLoosely(reach, ignored, "keys") === loose.keysDigest,
  );
  const exact = candidates.find(({ reach }) => digestReachLoosely(reach, ignored, "values") === loose.digest);
  const server = exact ?? candidates[0];
  if (!server) return undefined;

  const { name, reach, source, enabled } = server;
  const lacks = findMissingParts(reach, loose.references);
  if (exact && loose.isWhole && lacks.length > 0 && source === "stored" && !enabled)
    return { kind: "completed", name };
  return {
    kind: "same",
    name,
    ...(lacks.length > 0 && !loose.isWhole ? { lacks } : {}),
    ...(exact ? {} : { otherValues: true as const }),
  };
}

/** Whether an import could have assigned this name to the candidate. */
function couldHaveName({ name, clients }: ImportCandidate, registeredName: string): boolean {
  const allowed = isAllowed(name) ? name : toAllowedName(name);
  const bases = clients.map((client) => appendClient(allowed, client));
  return (
    registeredName === allowed ||
    bases.some(
      (base) =>
        registeredName === base ||
        (registeredName.startsWith(base) && /^-\d+$/.test(registeredName.slice(base.length))),
    )
  );
}

function chooseName({ name, clients }: ImportCandidate, taken: ReadonlySet<string>): ImportVerdict {
  const allowed = isAllowed(name) ? name : toAllowedName(name);
  if (!taken.has(allowed))
    return allowed === name ? { kind: "new", name } : { kind: "renamed", name: allowed, why: "not allowed" };
  return { kind: "renamed", name: findFreeName(allowed, clients[0] ?? "", taken), why: "taken" };
}

function isAllowed(name: string): boolean {
  return checkServerConfig(name, { command: "any" }, "stored").ok;
}

const MAX_NAME_LENGTH = 64;

/** Replaces each run of forbidden characters with `-`. */
export function toAllowedName(name: string): string {
  const name64 = name.replace(/[^A-Za-z0-9 ._-]+/g, "-").slice(0, MAX_NAME_LENGTH);
  const trimmed = name64.replace(/^[ -]+|[ -]+$/g, "");
  return /[A-Za-z0-9]/.test(trimmed) ? trimmed : "server";
}

/** Turns `github` of Cursor into `github-cursor`, then `github-cursor-2` and so on. */
function findFreeName(name: string, client: string, taken: ReadonlySet<string>): string {
  const base = client === "" ? name : appendClient(name, client);
  let free = base;
  for (let count = 2; taken.has(free); count++) free = `${base}-${count}`;
  return free;
}

function appendClient(name: string, client: string): string {
  return `${name.slice(0, MAX_NAME_LENGTH - client.length - 5)}-${client}`;
}
