import { checkServerConfig } from "../config/server-config.ts";
import type { ServerConfig } from "../config/settings.ts";

/** What is asked about a server that was found. */
export interface Candidate {
  readonly name: string;
  /** Every client that has it. */
  readonly clients: readonly string[];
  /** As in FoundServer. */
  readonly digests: readonly string[];
  readonly skipped?: string | null;
}

/** A server that Toolkeep has. */
export interface Registered {
  readonly name: string;
  readonly digest: string;
  readonly source: ServerConfig["source"];
}

/** What will happen with a server that was found. `name` is the one it has, or gets, in Toolkeep. */
export type Verdict =
  | { readonly kind: "new"; readonly name: string }
  | { readonly kind: "renamed"; readonly name: string; readonly why: "taken" | "not allowed" }
  | { readonly kind: "same"; readonly name: string }
  /** It was registered when the values of its variables were missing, and they are there now. */
  | { readonly kind: "completed"; readonly name: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** One verdict for each candidate, in their order. No name is given out twice. */
export function planImport(candidates: readonly Candidate[], registered: readonly Registered[]): Verdict[] {
  const taken = new Set(registered.map(({ name }) => name));
  return candidates.map((candidate) => {
    const verdict = known(candidate, registered) ?? named(candidate, taken);
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
function allowedName(name: string): string {
  const name64 = name.replace(/[^A-Za-z0-9 ._-]+/g, "-").slice(0, LONGEST);
  const trimmed = name64.replace(/^[ -]+|[ -]+$/g, "");
  return /[A-Za-z0-9]/.test(trimmed) ? trimmed : "server";
}

/** `github` of Cursor becomes `github-cursor`, then `github-cursor-2` and so on. */
function freeName(name: string, client: string, taken: ReadonlySet<string>): string {
  const base = client === "" ? name : `${name.slice(0, LONGEST - client.length - 5)}-${client}`;
  let free = base;
  for (let count = 2; taken.has(free); count++) free = `${base}-${count}`;
  return free;
}
