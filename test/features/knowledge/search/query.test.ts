import { expect, test } from "vitest";
import {
  hasFilters,
  hasWords,
  MAX_QUERY_CHARS,
  parseQuery,
} from "../../../../src/features/knowledge/search/query.ts";
import { Dice } from "../../../support/dice.ts";
import { workNow } from "../../../support/work-clock.ts";

test("words stay as they are written, and those of phrases are among them", () => {
  expect(parseQuery('tax "state of the Art" May')).toMatchObject({
    words: "tax state of the Art May",
    phrases: ["state of the Art"],
    prefixes: [],
    notes: [],
  });
  expect(parseQuery('"not closed').phrases).toEqual(["not closed"]);
  expect(parseQuery('one"two three"four')).toMatchObject({
    words: "one two three four",
    phrases: ["two three"],
  });
});

test("a beginning ends with a star and has two characters at least", () => {
  expect(parseQuery("auth* 東京* a* *b c*d")).toMatchObject({
    prefixes: ["auth", "東京"],
    words: "*b c*d",
    notes: ['"a*" has no effect: a beginning needs at least 2 characters.'],
  });
});

test("a minus leaves words, phrases, beginnings and filters out", () => {
  const query = parseQuery('red -worm -"first draft" -auth* -tag:old -type:PDF -source:mail well-known');
  expect(query.not).toEqual({ words: ["worm"], phrases: ["first draft"], prefixes: ["auth"] });
  expect(query).toMatchObject({ words: "red well-known", notTags: ["old"], notTypes: ["pdf"] });
  expect(query.notSources).toEqual(["mail"]);
});

test("filters are read in any case, with quotes around spaces, and are no words", () => {
  const query = parseQuery('SOURCE:Notes tag:#Work tag:"two words" type:pdf type:pdf type:md');
  expect(query).toMatchObject({ sources: ["notes"], tags: ["work", "two words"], types: ["pdf", "md"] });
  expect(hasWords(query)).toBe(false);
  expect(hasFilters(query)).toBe(true);
  expect(hasFilters(parseQuery("plain -tag:x"))).toBe(false);
});

test("of several times the narrowest counts, and a minus turns them round", () => {
  expect(parseQuery("before:2026 before:2025-06 after:2020 after:2021-01-02")).toMatchObject({
    before: Date.UTC(2025, 5),
    after: Date.UTC(2021, 0, 2),
  });
  expect(parseQuery("-before:2025 -after:2026-11-17T10:30")).toMatchObject({
    after: Date.UTC(2025, 0),
    before: Date.UTC(2026, 10, 17, 10, 30),
  });
  for (const odd of ["before:yesterday", "after:2026-13", "before:2026-02-99", "after:"]) {
    const { before, after, notes } = parseQuery(odd);
    expect([before, after], odd).toEqual([undefined, undefined]);
    expect(notes[0], odd).toContain("has no effect");
  }
});

test("what is too much is left out, and said", () => {
  const many = parseQuery(Array.from({ length: 40 }, (_, at) => `-w${at}`).join(" "));
  expect(many.not.words).toHaveLength(16);
  expect(many.notes).toHaveLength(16);
  const long = parseQuery("x".repeat(MAX_QUERY_CHARS + 1));
  expect(long.words).toHaveLength(MAX_QUERY_CHARS);
  expect(long.notes).toEqual([`Only the first ${MAX_QUERY_CHARS} characters were looked at.`]);
});

test("nothing that can be typed fails, and all that comes out is bounded", () => {
  const dice = new Dice(17);
  const parts = [
    ..."-\"*: \t\n\0#'%_\\ab9é東😀\ud800\udfff\u202e",
    "tag:",
    "source:",
    "before:",
    "2026-1",
    '"a b',
    "-tag:",
  ];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: dice.below(30) }, () => dice.one(parts)).join("");
    const query = parseQuery(text);
    const { not, notes, words } = query;
    expect(words.length, JSON.stringify(text)).toBeLessThanOrEqual(text.length + 30);
    const lists = [query.phrases, query.prefixes, query.tags, query.sources, query.types];
    for (const list of [...lists, ...Object.values(not), notes]) expect(list.length).toBeLessThanOrEqual(16);
    for (const value of [...lists.slice(0, 2).flat(), ...not.words, ...not.phrases, ...not.prefixes])
      expect(value, JSON.stringify(text)).toMatch(/[\p{L}\p{N}]/u);
    expect(hasWords(query)).toBe(/[\p{L}\p{N}]/u.test(words) || query.prefixes.length > 0);
  }
});

test("a query made to be slow is read at once", () => {
  const began = workNow();
  for (const text of ['"', '-"', "tag:", "-", "a:", '" "', 'tag:"']) parseQuery(text.repeat(MAX_QUERY_CHARS));
  expect(workNow() - began).toBeLessThan(1_000);
});
