import { matchPath } from "../../../lib/text/glob.ts";

interface IgnoreRule {
  /** `!`: what an earlier rule left out comes back. */
  readonly includes: boolean;
  readonly foldersOnly: boolean;
  /** Matched from the folder of the rules on; else against the last name. */
  readonly anchored: boolean;
  readonly parts: readonly string[];
}

const MAX_RULES = 1_000;
const MAX_PATTERN = 500;

/** Patterns as in `.gitignore`, of one folder. The last that fits counts. */
export class IgnoreRules {
  /** With `/` at its end, or empty. */
  readonly #base: string;
  readonly #rules: readonly IgnoreRule[];

  constructor(base: string, lines: readonly string[]) {
    this.#base = base;
    this.#rules = lines.slice(0, MAX_RULES).flatMap(readRule);
  }

  /** True: left out; false: brought back; undefined: nothing is said. */
  verdict(path: string, isFolder: boolean): boolean | undefined {
    if (this.#rules.length === 0) return undefined;
    const names = path.slice(this.#base.length).split("/");
    const last = names.slice(-1);
    for (let index = this.#rules.length - 1; index >= 0; index--) {
      const rule = this.#rules[index]!;
      if (rule.foldersOnly && !isFolder) continue;
      if (matchPath(rule.parts, rule.anchored ? names : last)) return !rule.includes;
    }
    return undefined;
  }
}

function readRule(line: string): IgnoreRule[] {
  let pattern = line.replace(/[ \t\r]+$/, "");
  if (pattern === "" || pattern.startsWith("#") || pattern.length > MAX_PATTERN) return [];
  const includes = pattern.startsWith("!");
  if (includes) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith("/");
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes("/");
  const parts = pattern.replace(/^\//, "").replaceAll("\\", "").split("/");
  return parts.every((part) => part !== "") ? [{ includes, foldersOnly, anchored, parts }] : [];
}
