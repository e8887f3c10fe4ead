import type { Caller, Narrowing } from "../../contract/caller.ts";
import type { Hub } from "../../hub.ts";

/** What an address gives: everything the agent has, or the smaller part that its path names. */
export interface Address {
  readonly narrowing?: Narrowing;
}

const EVERYTHING: Address = {};
const SERVER = "server/";

/** The address of a path below `/mcp`; undefined for one that is malformed. */
export function addressOf(path: string): Address | undefined {
  if (path === "/mcp" || path === "/mcp/") return EVERYTHING;
  const rest = path.slice("/mcp/".length);
  const isServer = rest.startsWith(SERVER);
  const segment = isServer ? rest.slice(SERVER.length) : rest;
  const name = segment.includes("/") ? undefined : decoded(segment);
  if (name === undefined || name === "") return undefined;
  return { narrowing: isServer ? { server: name } : { toolbox: name } };
}

/**
 * Whether there is anything for the agent at an address. What does not exist and what is not the agent's are the
 * same to it.
 */
export function isOpenTo(
  address: Address,
  callerAt: (address: Address) => Caller,
  { catalog, offers, upstream }: Pick<Hub, "catalog" | "offers" | "upstream">,
): boolean {
  const { narrowing } = address;
  if (!narrowing) return true;
  // Before anything is made for it: names are the client's word.
  const exists =
    "toolbox" in narrowing
      ? catalog.toolboxes.byName.has(narrowing.toolbox)
      : upstream.knows(narrowing.server);
  if (!exists) return false;
  const caller = callerAt(address);
  if ("toolbox" in narrowing) return caller.toolboxes.includes(narrowing.toolbox);
  return catalog.holdsAny(caller) || offers.hasAny(caller);
}

export function isSameAddress({ narrowing: a }: Address, { narrowing: b }: Address): boolean {
  if (!a || !b) return a === b;
  if ("toolbox" in a) return "toolbox" in b && a.toolbox === b.toolbox;
  return "server" in b && a.server === b.server;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
