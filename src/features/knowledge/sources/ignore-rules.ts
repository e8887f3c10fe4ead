import { matchList } from "../../../lib/text/glob.ts";

interface IgnoreRule {
  /** `!`: includes again what an earlier rule left out. */
  readonly includes: boolean;
  readonly foldersOnly: boolean;
  /** Matched against the path from the folder of the rules; otherwise against the last name. */
  readonly anchored: boolean;
  readonly parts: readonly (typeof ANY | readonly NamePiece[])[];
}

/** `**` among names, `*` among characters. */
const ANY = Symbol("any");
/** A literal character, or a test for one. */
type NamePiece = string | RegExp | typeof ANY;

const MAX_RULES = 1_000;
const MAX_PATTERN = 500;

/**
 * Patterns of one folder, as in `.gitignore`. The last match counts. Matching takes time in proportion to pattern and path,
 * because strangers may have written the files. The package `ignore` uses regular expressions, which can take much longer.
 */
export class IgnoreRules {
  /** With `/` at its end, or empty. */
  readonly #base: string;
  readonly #rules: readonly IgnoreRule[];

  constructor(base: string, lines: readonly string[]) {
    this.#base = base;
    this.#rules = lines.slice(0, MAX_RULES).flatMap(readRule);
  }

  /** True: left out; false: included again; undefined: no pattern matches. */
  verdict(path: string, isFolder: boolean): boolean | undefined {
    if (this.#rules.length === 0) return undefined;
    const names = path.slice(this.#base.length).split("/");
    const last = names.slice(-1);
    for (let index = this.#rules.length - 1; index >= 0; index--) {
      const rule = this.#rules[index]!;
      if (rule.foldersOnly && !isFolder) continue;
      if (matchList(rule.parts, rule.anchored ? names : last, isAny, matchName)) return !rule.includes;
    }
    return undefined;
  }
}

function isAny(piece: unknown): boolean {
  return piece === ANY;
}

function matchName(pieces: IgnoreRule["parts"][number], name: string): boolean {
  return pieces !== ANY && matchList(pieces, [...name], isAny, matchCharacter);
}

function matchCharacter(piece: NamePiece, character: string): boolean {
  return piece instanceof RegExp ? piece.test(character) : piece === character;
}

function readRule(line: string): IgnoreRule[] {
  let pattern = line.replace(/(?<!\\)[ \t\r]+$/, "");
  if (pattern === "" || pattern.startsWith("#") || pattern.length > MAX_PATTERN) return [];
  const includes = pattern.startsWith("!");
  if (includes) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith("/");
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes("/");
  const parts = pattern.replace(/^\//, "").split("/").map(readPart);
  return parts.every((part) => part !== undefined) ? [{ includes, foldersOnly, anchored, parts }] : [];
}

const PIECES = /\\(?<escaped>.)|\[(?<not>[!^]?)(?<members>\]?(?:\\.|\[:\w*:\]|[^\]\\])*)\]|(?<other>.)/gsu;

/** Undefined if git treats the pattern as one that matches nothing. */
function readPart(part: string): IgnoreRule["parts"][number] | undefined {
  if (part === "**") return ANY;
  const pieces: NamePiece[] = [];
  for (const { groups } of part.matchAll(PIECES)) {
    const { escaped, not, members, other } = groups!;
    if (escaped !== undefined) pieces.push(escaped);
    else if (members !== undefined) {
      const fits = readClass(members, not !== "");
      if (!fits) return undefined;
      pieces.push(fits);
    } else if (other === "[" || other === "\\") return undefined;
    else pieces.push(other === "*" ? ANY : other === "?" ? /./su : other!);
  }
  return pieces.length === 0 ? undefined : pieces;
}

/** ASCII only, as in git. */
const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: " \\t\\n\\r",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

const MEMBERS = /\[:(?<named>\w*):\]|\\?(?<from>.)(?:-\\?(?<to>[^\]]))?/gsu;

function readClass(members: string, isNegated: boolean): RegExp | undefined {
  const ranges = [...members.matchAll(MEMBERS)].map(({ groups }) => {
    const { named, from, to } = groups!;
    if (named !== undefined) return NAMED_CLASSES[named] ?? "";
    return codeOf(from!) + (to === undefined ? "" : `-${codeOf(to)}`);
  });
  try {
    if (!ranges.includes("")) return new RegExp(`[${isNegated ? "^" : ""}${ranges.join("")}]`, "u");
  } catch {
    // a range from its end to its beginning
  }
  return undefined;
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
