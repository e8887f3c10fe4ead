import type { Caller } from "../../../contract/caller.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { accessOf, isAmong } from "../access.ts";
import type { Access } from "../knowledge.ts";

/** The memories that a caller may use. */
export interface Reach {
  /** The owner of its own memories: itself, or the agent it works for. */
  readonly own: string;
  /** The names of the shared spaces that it may read and write. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly access: Access;
  /** The name stored with what it writes. */
  readonly by: string;
}

const PREFIX = "space:";
/** The name by which a caller refers to its own memories. */
export const OWN_SPACE = "own";

/** The owner of the memories in a shared space. */
export function ownerOfSpace(space: string): string {
  return PREFIX + space;
}

/** The shared space of an owner; undefined if it is an agent. */
export function spaceOfOwner(owner: string): string | undefined {
  return owner.startsWith(PREFIX) ? owner.slice(PREFIX.length) : undefined;
}

export function reachOf(
  caller: Caller,
  own: string,
  { memory, knowledge }: Pick<Settings, "memory" | "knowledge">,
): Reach {
  const named = (right: "read" | "write") =>
    Object.entries(memory.spaces).flatMap(([space, agents]) =>
      caller.operator || isAmong(caller.agentName, agents[right]) ? [space] : [],
    );
  return {
    own,
    read: named("read"),
    write: named("write"),
    access: accessOf(caller, knowledge.labels),
    by: caller.person ?? caller.agentName,
  };
}

/** The owners that a caller may read. With `space`, only that one; empty if it may not read it. */
export function ownersRead({ own, read }: Reach, space?: string): readonly string[] {
  if (space === undefined) return [own, ...read.map(ownerOfSpace)];
  if (space === OWN_SPACE) return [own];
  return read.includes(space) ? [ownerOfSpace(space)] : [];
}

/** Undefined if the caller may not write there. */
export function ownerWritten({ own, write }: Reach, space: string = OWN_SPACE): string | undefined {
  if (space === OWN_SPACE) return own;
  return write.includes(space) ? ownerOfSpace(space) : undefined;
}
