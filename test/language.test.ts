import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** The folders that are read, and which of their files. */
const READ: readonly (readonly [folder: string, files: RegExp])[] = [
  ["src", /\.ts$/],
  ["dashboard/src", /\.tsx?$/],
  ["docs", /\.md$/],
];

/** Files that must say a forbidden word. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "docs/glossary.md": "lists the words that are avoided",
  "src/call/audit/findings.ts": "its texts are compared with records that homes already have",
};

/** Migrations are frozen, with their comments. */
const FROZEN = /^src\/machine\/db\/history\//;

interface Rule {
  readonly name: string;
  /** Returns every place in a text that breaks the rule. */
  readonly find: (text: string) => readonly string[];
  /** A text that breaks the rule, and one that keeps it. */
  readonly wrong: string;
  readonly right: string;
  /**
   * How many places of a folder may break the rule; other folders have none. These numbers may only fall. Where work goes
   * on in several folders at once, they share one number, because code moves between them.
   */
  readonly allowed?: readonly (readonly [folders: RegExp, most: number])[];
}

/** Folders in which features are being made slices (issue 21). */
const IN_MOTION = /^src\/(?:call|servers|features|surfaces\/api|machine\/db)\//;

const RULES: readonly Rule[] = [
  {
    name: "a comment begins with its subject or a verb, not with Of, What, As or So",
    find: (text) => commentOpenings(text).filter((opening) => /^(?:Of|What|As|So)\s/.test(opening)),
    wrong: "/** Of a pasted page the first words must do. */",
    right: "/** Only the first 200 words of a long query are used. */",
    allowed: [[IN_MOTION, 197]],
  },
  {
    name: "types are nouns that say which thing they are",
    find: matches(/\b(?:interface|type|class) (?:Found|Asked|Place|Wish|Gift|Ground|Learned|Doing)\b/g),
    wrong: "export interface Asked {",
    right: "export interface InputRequest {",
    allowed: [[IN_MOTION, 2]],
  },
  {
    name: "functions are verbs",
    find: matches(
      /\b(?:goOn|meantBy|runDecided)\b|\bfunction (?:told|shown)\b|\bconst (?:told|shown) = (?:async )?\(.*=>/g,
    ),
    wrong: "function told(result: ToolResult): string {",
    right: "function renderResult(result: ToolResult): string {",
    allowed: [[IN_MOTION, 4]],
  },
  {
    name: "nobody is called whoever",
    find: matches(/\bwhoever\b/gi),
    wrong: "// Whoever holds the home may do everything.",
    right: "// The owner of `TOOLKEEP_HOME` may do everything.",
    allowed: [[IN_MOTION, 26]],
  },
  {
    name: "no phrase that has to be read twice",
    find: matches(
      /gone on with|the likes of|for want of|as unknown as one|nobody need\b|of the moment it\b/gi,
    ),
    wrong: "what was gathered could not be gone on with",
    right: "knowledge: background sync failed to resume",
    allowed: [[IN_MOTION, 1]],
  },
  {
    name: "words that the glossary avoids",
    find: matches(
      /\bsuperuser\b|\bdata dir(?:ectory)?\b|\bscrubbed\b|\bwhitelist|\bblacklist|\buser tools?\b/g,
    ),
    wrong: "The data dir belongs to its owner.",
    right: "The home belongs to its owner.",
    allowed: [[IN_MOTION, 5]],
  },
];

describe("language", () => {
  const files = READ.flatMap(([folder, pattern]) => listFiles(folder, pattern));

  it.each(RULES)("$name", ({ find, allowed = [] }) => {
    const found = files.flatMap(({ path, text }) => find(text).map((place) => ({ path, place })));
    const elsewhere = found.filter(({ path }) => !allowed.some(([folders]) => folders.test(path)));
    expect(elsewhere.map(({ path, place }) => `${path}: ${place}`)).toEqual([]);
    for (const [folders, most] of allowed) {
      const here = found.filter(({ path }) => folders.test(path));
      expect(here.length, `${folders}, such as ${JSON.stringify(here.at(-1))}`).toBeLessThanOrEqual(most);
    }
  });

  it.each(RULES)("is checked: $name", ({ find, wrong, right }) => {
    expect(find(wrong)).toHaveLength(1);
    expect(find(right)).toEqual([]);
  });

  it("has no exception for a file that is gone", () => {
    for (const path of Object.keys(EXCEPTIONS)) expect(existsSync(join(ROOT, path)), path).toBe(true);
  });
});

function matches(pattern: RegExp): (text: string) => readonly string[] {
  return (text) => text.match(pattern) ?? [];
}

/** Returns the first line of every comment: of `/** … *\/`, and of lines with `//` that follow each other. */
function commentOpenings(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === "/**") return [lines[at + 1]?.replace(/^\* ?/, "") ?? ""];
    if (line.startsWith("/** ")) return [line.slice(4)];
    return line.startsWith("// ") && !lines[at - 1]?.startsWith("//") ? [line.slice(3)] : [];
  });
}

function listFiles(folder: string, pattern: RegExp): { readonly path: string; readonly text: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(ROOT, file).split(sep).join("/") }))
    .filter(({ path }) => EXCEPTIONS[path] === undefined && !FROZEN.test(path))
    .map(({ file, path }) => ({ path, text: readFileSync(file, "utf8") }));
}
