import { checkServerConfig } from "../../../machine/config/sections/server-config.ts";
import type { ServerConfig } from "../../../machine/config/settings.ts";
import { lackingParts, looseDigest, type Reach } from "../reach.ts";
import type { Loose } from "../references.ts";

/** What is asked about a server that was found. */
export interface Candidate {
  readonly name: string;
  /** Every client that has it. */
  readonly clients: readonly string[];
  /** As in FoundServer. */
  readonly digests: readonly string[];
  readonly loose?: Loose;
  readonly skipped?: string | null;
}

/** A server that Toolkeep has. */
export interface Registered {
  readonly name: string;
  readonly digest: string;
  readonly reach: Reach;
  readonly enabled: boolean;
  readonly source: ServerConfig["source"];
}

/** What will happen with a server that was found. `name` is the one it has, or gets, in Toolkeep. */
export type Verdict =
  | { readonly kind: "new"; readonly name: string }
  | { readonly kind: "renamed"; readonly name: string; readonly why: "taken" | "not allowed" }
  | {
      readonly kind: "same";
      readonly name: string;
      /** Parts for which neither this place nor the registered server has a value. */
      readonly lacks?: readonly string[];
      /** Values that are written in the client's settings differ: they were edited here or there. */
      readonly otherValues?: true;
    }
  /** It was registered when the values of its variables were missing, and they are there now. */
  | { readonly kind: "completed"; readonly name: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** One verdict for each candidate, in their order. No name is given out twice. */
export function planImport(candidates: readonly Candidate[], registered: readonly Registered[]): Verdict[] {
  const taken = new Set(registered.map(({ name }) => name));
  return candidates.map((candidate) => {
    const verdict =
      known(candidate, registered) ?? knownAgain(candidate, registered) ?? named(candidate, taken);
    if ("name" in verdict) taken.add(verdict.name);
    return verdict;
  });
}

function known({ digests, skipped }: Candidate, registered: readonly Registered[]): Verdict | undefined {
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
 * A server that was imported before, though values have changed since. Only under a name it would get: two accounts of
 * one service differ in nothing but a value and the name.
 */
function knownAgain(candidate: Candidate, registered: readonly Registered[]): Verdict | undefined {
  const { loose } = candidate;
  if (!loose) return undefined;
  const free = [...loose.references, ...loose.optional];
  const likely = registered.filter(
    ({ name, reach }) =>
      mayBeCalled(candidate, name) && looseDigest(reach, free, "keys") === loose.keysDigest,
  );
  const exact = likely.find(({ reach }) => looseDigest(reach, free, "values") === loose.digest);
  const server = exact ?? likely[0];
  if (!server) return undefined;

  const { name, reach, source, enabled } = server;
  const lacks = lackingParts(reach, loose.references);
  if (exact && loose.isWhole && lacks.length > 0 && source === "stored" && !enabled)
    return { kind: "completed", name };
  return {
    kind: "same",
    name,
    ...(lacks.length > 0 && !loose.isWhole ? { lacks } : {}),
    ...(exact ? {} : { otherValues: true as const }),
  };
}

/** Whether an import would have given this name to the candidate. */
function mayBeCalled({ name, clients }: Candidate, given: string): boolean {
  const allowed = isAllowed(name) ? name : allowedName(name);
  const bases = clients.map((client) => withClient(allowed, client));
  return (
    given === allowed ||
    bases.some(
      (base) => given === base || (given.startsWith(base) && /^-\d+$/.test(given.slice(base.length))),
    )
  );
}

function named({ name, clients }: Candidate, taken: ReadonlySet<string>): Verdict {
  const allowed = isAllowed(name) ? name : allowedName(name);
  if (!taken.has(allowed))
    return allowed === name ? { kind: "new", name } : { kind: "renamed", name: allowed, why: "not allowed" };
  return { kind: "renamed", name: freeName(allowed, clients[0] ?? "", taken), why: "taken" };
}

function isAllowed(name: string): boolean {
  return checkServerConfig(name, { command: "any" }, "stored").ok;
}

const LONGEST = 64;

/** Every run of other characters becomes `-`. */
export function allowedName(name: string): string {
  const name64 = name.replace(/[^A-Za-z0-9 ._-]+/g, "-").slice(0, LONGEST);
  const trimmed = name64.replace(/^[ -]+|[ -]+$/g, "");
  return /[A-Za-z0-9]/.test(trimmed) ? trimmed : "server";
}

/** `github` of Cursor becomes `github-cursor`, then `github-cursor-2` and so on. */
function freeName(name: string, client: string, taken: ReadonlySet<string>): string {
  const base = client === "" ? name : withClient(name, client);
  let free = base;
  for (let count = 2; taken.has(free); count++) free = `${base}-${count}`;
  return free;
}

function withClient(name: string, client: string): string {
  return `${name.slice(0, LONGEST - client.length - 5)}-${client}`;
}
