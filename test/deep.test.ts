import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEEP, LONGER } from "./deep.ts";

const ROOT = join(import.meta.dirname, "..");
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);
const isMatch = (pattern: string, file: string) =>
  new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`).test(file);
const isIn = (patterns: readonly string[], file: string) =>
  patterns.some((pattern) => isMatch(pattern, file));

it("names only tests that there are", () => {
  const named = [...Object.keys(DEEP), ...Object.values(DEEP).flat(), ...LONGER];
  expect(named.filter((pattern) => !files.some((file) => isMatch(pattern, file)))).toEqual([]);
});

it("leaves nothing out of npm test without a test in it that guards the same", () => {
  const quick = files.filter((file) => !isIn(Object.keys(DEEP), file));
  const unguarded = Object.entries(DEEP).filter(
    ([, guards]) =>
      guards.length === 0 || !guards.every((guard) => quick.some((file) => isMatch(guard, file))),
  );
  expect(unguarded).toEqual([]);
});

it("runs at length whatever npm test takes a sample of", () => {
  const sampled = files.filter((file) =>
    /\/support\/(?:length|axe)\.ts"/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(sampled.length).toBeGreaterThan(10);
  expect(sampled.filter((file) => !isIn([...LONGER, ...Object.keys(DEEP)], file))).toEqual([]);
});
