import { expect, test } from "vitest";
import { Matcher } from "../../../../src/call/vault/redaction/matcher.ts";

/** What it should find, found the slow way. */
function everywhere(sought: readonly string[], text: string): string[] {
  const ranges: { start: number; end: number }[] = [];
  for (const each of sought) {
    for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
      ranges.push({ start: at, end: at + each.length });
    }
  }
  ranges.sort((a, b) => a.start - b.start);
  const merged: { start: number; end: number }[] = [];
  for (const range of ranges) {
    const before = merged.at(-1);
    if (before && range.start < before.end) before.end = Math.max(before.end, range.end);
    else merged.push({ ...range });
  }
  return merged.map(({ start, end }) => `${start}-${end}`);
}

function matcherOf(sought: readonly string[]): Matcher {
  const matcher = new Matcher();
  for (const each of sought) matcher.add(each);
  return matcher;
}

function found(sought: readonly string[], text: string, matcher = matcherOf(sought)): string[] {
  return matcher.find(text).map(({ start, end }) => `${start}-${end}`);
}

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

test("nothing is missed and nothing made up, in texts of few different characters", () => {
  const next = numbers(7);
  const letters = ["a", "b", "ä", "字"];
  const word = (length: number) => Array.from({ length }, () => letters[next(letters.length)]).join("");
  for (let round = 0; round < 400; round++) {
    const sought = [...new Set(Array.from({ length: 1 + next(8) }, () => word(3 + next(7))))];
    const text = word(next(300));
    expect(found(sought, text)).toEqual(everywhere(sought, text));
  }
});

test("what is added and removed on the way counts at once, shorter ones and one of two equal ones, too", () => {
  const next = numbers(11);
  const word = (length: number) => Array.from({ length }, () => "ab"[next(2)]).join("");
  const matcher = new Matcher();
  const sought: string[] = [];
  for (let round = 0; round < 3_000; round++) {
    if (next(2) === 0 || sought.length < 8) {
      sought.push(word(3 + next(9)));
      matcher.add(sought.at(-1)!);
    } else matcher.remove(sought.splice(next(sought.length), 1)[0]!);
    const text = word(60);
    expect(found(sought, text, matcher)).toEqual(everywhere(sought, text));
  }
});

test("characters that look alike in part are told apart", () => {
  const sought = "\u{10161}\u0162\u0163";
  expect(found([sought], `abc${sought}`)).toEqual(["3-7"]);
  expect(found([sought], "\u{20161}\u4162\u0163")).toEqual([]);
});

test("a text that is too short for anything holds nothing", () => {
  expect(found(["abc"], "")).toEqual([]);
  expect(found(["abc"], "ab")).toEqual([]);
  expect(found(["abc"], "abc")).toEqual(["0-3"]);
});

test("very long values are found", () => {
  const long = "x".repeat(5_000) + "y".repeat(5_000);
  expect(found([long], `${"x".repeat(3_000)}${long}z`)).toEqual(["3000-13000"]);
});
