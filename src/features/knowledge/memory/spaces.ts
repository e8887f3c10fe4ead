import type { Caller } from "../../../contract/caller.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { accessOf, isAmong } from "../access.ts";
import type { Access } from "../knowledge.ts";

/** Whose memories a caller uses, and what of them it sees. */
export interface Reach {
  /** Its own, or that of the agent it works for. */
  readonly own: string;
  /** The shared spaces that it may read, and those that it may write, by name. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly access: Access;
  /** Noted with what it writes. */
  readonly by: string;
}

const PREFIX = "space:";
/** As a caller names its own. */
export const OWN_SPACE = "own";

/** The owner of what is kept in a shared space. */
export function ownerOfSpace(space: string): string {
  return PREFIX + space;
}

/** The space that an owner is; undefined where it is an agent. */
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

/** Every owner whose memories a caller reads; of one space where it names one, which may be none that it reads. */
export function ownersRead({ own, read }: Reach, space?: string): readonly string[] {
  if (space === undefined) return [own, ...read.map(ownerOfSpace)];
  if (space === OWN_SPACE) return [own];
  return read.includes(space) ? [ownerOfSpace(space)] : [];
}

/** Undefined: it may not write there. */
export function ownerWritten({ own, write }: Reach, space: string = OWN_SPACE): string | undefined {
  if (space === OWN_SPACE) return own;
  return write.includes(space) ? ownerOfSpace(space) : undefined;
}
