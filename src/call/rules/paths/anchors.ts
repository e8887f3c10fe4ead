/** The texts that a call must contain for a pattern to match, as far as its globs spell them out. */
import { normalizePathGlob } from "./path-glob.ts";

/** Where an anchor is looked for: a form of path, hosts, commands, or one argument. */
export type Channel = "absolute" | "inside" | "host" | "command" | `arg.${string}`;

/** A text that matches a glob has this beginning and end; a path has a folder or file of this name. */
export interface Anchor {
  readonly channel: Channel;
  readonly beginning: string;
  readonly end: string;
  readonly part?: string;
}

/** For a glob in which `*` stands for any characters. */
export function textAnchor(channel: Channel, glob: string): Anchor {
  const first = glob.indexOf("*");
  if (first < 0) return { channel, beginning: glob, end: glob };
  return { channel, beginning: glob.slice(0, first), end: glob.slice(glob.lastIndexOf("*") + 1) };
}

/** `**` may stand for no folder at all, so the slash beside it is not part of the anchor. */
export function pathAnchor(glob: string, userHome: string): Anchor {
  const { parts, isAnywhere } = normalizePathGlob(glob, userHome);
  const channel = isAnywhere ? "absolute" : "inside";
  const literal = parts.filter((part) => part !== "" && !part.includes("*"));
  const longest = literal.toSorted((a, b) => b.length - a.length)[0];
  return {
    channel,
    beginning: literalEdge(parts, (part) => part.slice(0, part.indexOf("*"))).join("/"),
    end: literalEdge(parts.toReversed(), (part) => part.slice(part.lastIndexOf("*") + 1))
      .toReversed()
      .join("/"),
    ...(longest !== undefined && { part: longest }),
  };
}

/** The parts before the first with a `*`, and the literal start of that one. */
function literalEdge(parts: readonly string[], literalOf: (part: string) => string): readonly string[] {
  const firstGlob = parts.findIndex((part) => part.includes("*"));
  if (firstGlob < 0) return parts;
  const before = parts.slice(0, firstGlob);
  return parts[firstGlob] === "**" ? before : [...before, literalOf(parts[firstGlob]!)];
}
