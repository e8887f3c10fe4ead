import { expect, test } from "vitest";
import { type Marked, SNIPPET_CHARS, snippetOf } from "../../../../src/features/knowledge/search/snippet.ts";
import { fold } from "../../../../src/machine/text/words.ts";
import { Dice } from "../../../support/dice.ts";
import { workNow } from "../../../support/work-clock.ts";

const marked = (terms: readonly string[], prefixes: readonly string[] = []): Marked => ({
  isTerm: (word) => terms.includes(fold(word)),
  terms: new Set(terms),
  prefixes,
});

/** No half of a character. */
const isWhole = (text: string) => Buffer.from(text).toString() === text;

const shown = (text: string, what: Marked) => {
  const { snippet, marks } = snippetOf(text, what);
  return { snippet, words: marks.map(({ start, end }) => snippet.slice(start, end)) };
};

test("a short text is shown whole, with all that was sought marked", () => {
  expect(shown("Red apples, RED wine; redder.", marked(["red"]))).toEqual({
    snippet: "Red apples, RED wine; redder.",
    words: ["Red", "RED"],
  });
  expect(shown("Authors and authentication", marked([], ["auth"])).words).toEqual([
    "Authors",
    "authentication",
  ]);
  expect(shown("Crème brûlée", marked(["creme"])).words).toEqual(["Crème"]);
  expect(shown("", marked(["x"]))).toEqual({ snippet: "", words: [] });
});

test("of a long text the part is shown where most of it stands, cut between words", () => {
  const text = `needle ${"filler ".repeat(200)}needle and thread ${"padding ".repeat(200)}`;
  const { snippet, words } = shown(text, marked(["needle", "thread"]));
  expect(words).toEqual(["needle", "thread"]);
  expect(snippet).toMatch(/^…filler .* padding…$/);
});

test("pairs of characters that follow each other are one mark in scripts without spaces", () => {
  expect(shown("今日は東京都の天気", marked(["東京", "京都"])).words).toEqual(["東京都"]);
});

test("marks are inside, in order, apart from each other, and cut no character; a snippet is bounded", () => {
  const dice = new Dice(23);
  const parts = [
    "needle",
    "Needle",
    "thr",
    "😀",
    "𠮷野家",
    "東京",
    " ",
    " ",
    "\n",
    "é",
    "e\u0301",
    "x".repeat(90),
    "-",
    "\0",
  ];
  const what = marked(["needle", "東京", "𠮷野"], ["thr"]);
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: dice.below(200) }, () => dice.one(parts)).join("");
    const { snippet, marks } = snippetOf(text, what);
    expect(isWhole(snippet)).toBe(true);
    expect(snippet.length).toBeLessThanOrEqual(SNIPPET_CHARS + 2);
    expect(text).toContain(snippet.replace(/^…|…$/g, ""));
    expect(marks.length).toBeLessThanOrEqual(40);
    let before = 0;
    for (const { start, end } of marks) {
      expect(start).toBeGreaterThanOrEqual(before);
      expect(end).toBeGreaterThan(start);
      expect(end).toBeLessThanOrEqual(snippet.length);
      expect(isWhole(snippet.slice(start, end))).toBe(true);
      before = end;
    }
  }
});

test("a huge text without a space takes no time and no room", () => {
  const began = workNow();
  const { snippet } = snippetOf("a".repeat(5_000_000), marked(["b"]));
  expect(snippet.length).toBeLessThanOrEqual(SNIPPET_CHARS + 2);
  expect(workNow() - began).toBeLessThan(1_000);
});
