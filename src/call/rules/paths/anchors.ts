/** What a call has to contain for a pattern to match it, as far as its globs spell that out. */
import { normalPathGlob } from "./path-glob.ts";

/** Where an anchor is looked for: a form of path, hosts, commands, or one argument. */
export type Channel = "absolute" | "inside" | "host" | "command" | `arg.${string}`;

/** A text that fits a glob begins and ends with these; a path has a folder or file of this name. */
export interface Anchor {
  readonly channel: Channel;
  readonly beginning: string;
  readonly end: string;
  readonly part?: string;
}

/** Of a glob in which `*` stands for any run of characters. */
export function textAnchor(channel: Channel, glob: string): Anchor {
  const first = glob.indexOf("*");
  if (first < 0) return { channel, beginning: glob, end: glob };
  return { channel, beginning: glob.slice(0, first), end: glob.slice(glob.lastIndexOf("*") + 1) };
}

/** `**` may stand for no folder at all: the slash beside it is no part of what has to be there. */
export function pathAnchor(glob: string, userHome: string): Anchor {
  const { parts, isAnywhere } = normalPathGlob(glob, userHome);
  const channel = isAnywhere ? "absolute" : "inside";
  const literal = parts.filter((part) => part !== "" && !part.includes("*"));
  const longest = literal.toSorted((a, b) => b.length - a.length)[0];
  return {
    channel,
    beginning: outermost(parts, (part) => part.slice(0, part.indexOf("*"))).join("/"),
    end: outermost(parts.toReversed(), (part) => part.slice(part.lastIndexOf("*") + 1))
      .toReversed()
      .join("/"),
    ...(longest !== undefined && { part: longest }),
  };
}

/** The parts up to the first with a `*`, and of that what is written. */
function outermost(parts: readonly string[], written: (part: string) => string): readonly string[] {
  const open = parts.findIndex((part) => part.includes("*"));
  if (open < 0) return parts;
  const before = parts.slice(0, open);
  return parts[open] === "**" ? before : [...before, written(parts[open]!)];
}
