import { expect, test } from "vitest";
import { diffLines } from "../../../src/lib/text/text-diff.ts";

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

test("lines that both texts have stay, the others go and come", () => {
  expect(shown("a\nb\nc\nd", "a\nc\nx\nd")).toEqual([" a", "-b", " c", "+x", " d"]);
  expect(shown("a", "a")).toEqual([" a"]);
  expect(shown("a", "b")).toEqual(["-a", "+b"]);
});

test("texts that would take long are replaced whole", () => {
  const many = (letter: string) => Array.from({ length: 2_000 }, (_, at) => `${letter}${at}`).join("\n");
  expect(diffLines(many("a"), many("b"))).toHaveLength(4_000);
});
