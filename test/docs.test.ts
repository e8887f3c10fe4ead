import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../src/contract/caller.ts";
import { ERRORS } from "../src/contract/errors.ts";
import { OUTCOMES } from "../src/contract/tool.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

describe("documents", () => {
  it("list every error code with its status, exit code and remedy, and no other", () => {
    const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \| (\d+) \| (\d+) \| (.+) \|$/gm)];
    const documented = Object.fromEntries(
      rows.map(([, code, status, exit, remedy]) => [
        code,
        { status: Number(status), exit: Number(exit), remedy },
      ]),
    );
    expect(documented).toEqual(ERRORS);
  });

  it("list every outcome and no other", () => {
    const rows = [...read("docs/outcomes.md").matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    expect(rows.sort()).toEqual([...OUTCOMES].sort());
  });

  it("list every scope", () => {
    const page = read("docs/toolboxes.md");
    expect(SCOPES.filter((scope) => !page.includes(`\`${scope}\``))).toEqual([]);
  });

  it("list every event and no other", () => {
    const source = read("src/contract/events.ts");
    const events = [...source.matchAll(/^ {2}"([a-z]+\.[a-z]+)":/gm)].map((match) => match[1]);
    const documented = [
      ...read("docs/library.md").matchAll(
        /`([a-z]+\.(?:started|ended|changed|state|asked|answered|dismissed|raised|applied|rejected|progress))`/g,
      ),
    ].map((match) => match[1]);
    expect(documented.sort()).toEqual(events.sort());
  });

  it.each(pages)("%s names only paths that exist", (page) => {
    const named = [
      ...read(page).matchAll(/`((?:src|test|docs|scripts|bench|bin|dashboard|\.ci)\/[\w./-]*)`/g),
    ].map((match) => match[1]!);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(pages)("%s links only to files that exist", (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  it.each([
    ["README.md", 200],
    ["ARCHITECTURE.md", 200],
    ["AGENTS.md", 80],
  ])("%s stays under %i lines", (page, limit) => {
    expect(read(page).split("\n").length).toBeLessThan(limit);
  });

  it.each([
    ...["Tool poisoning", "Rug pull", "Confused deputy", "Token passthrough", "Session hijack"],
    ...["SSRF", "Path traversal", "Argument injection", "Exfiltration through results"],
  ])("name tests that cover an attack of the field, all of which there are: %s", (attack) => {
    const rows = readFileSync(join(ROOT, "docs/security.md"), "utf8").split("\n");
    const row = rows.find((line) => line.startsWith(`| **${attack}**`)) ?? "";
    const tests = [...row.matchAll(/`(test\/[\w/.-]+\.test\.ts)`/g)].map(([, path]) => path!);
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("have every page linked from another", () => {
    const linked = pages.map(read).join("\n");
    const orphans = pages.filter(
      (page) => page.startsWith("docs/") && !linked.includes(page.slice("docs/".length)),
    );
    expect(orphans).toEqual([]);
  });
});
