import { describe, expect, it } from "vitest";
import { termsOf } from "../../src/text/analyser.ts";
import { FieldIndex, type Part } from "../../src/text/field-index.ts";
import { Dice } from "../support/dice.ts";

const OPTIONS = {
  fields: [
    { name: "name", weight: 2, b: 0.5 },
    { name: "text", weight: 1, b: 0.75 },
  ],
  k1: 1.2,
  coverage: 2,
};
const ALL: Part = { has: () => true };
const sought = (query: string) => new Map(termsOf(query).map((term) => [term, 1]));
const ids = (index: FieldIndex, query: string, part: Part = { ...ALL }, limit = 10) =>
  index.search(sought(query), part, limit).map(({ id }) => id);

function filled(texts: Readonly<Record<string, readonly string[]>>): FieldIndex {
  const index = new FieldIndex(OPTIONS);
  for (const [id, fields] of Object.entries(texts)) index.put(id, fields);
  return index;
}

describe("an index of fields", () => {
  it("counts a word in a field of more weight for more", () => {
    const index = filled({ a: ["browser", "screenshot of a page"], b: ["screenshot", "picture of a page"] });
    expect(ids(index, "screenshot")).toEqual(["b", "a"]);
  });

  it("puts a text first whose first field the query names whole", () => {
    const index = filled({ long: ["list files of project", "x"], whole: ["list files", "x"] });
    expect(ids(index, "list files")).toEqual(["whole", "long"]);
  });

  it("gives equal matches in the order of their ids, and no more than asked for", () => {
    const index = filled({ c: ["same", ""], a: ["same", ""], b: ["same", ""] });
    expect(ids(index, "same")).toEqual(["a", "b", "c"]);
    expect(ids(index, "same", ALL, 2)).toEqual(["a", "b"]);
    expect(ids(index, "same", ALL, 0)).toEqual([]);
  });

  it("forgets what was replaced or deleted, and the words that only stood there", () => {
    const index = filled({ a: ["old", "word"], b: ["other", "word"] });
    index.put("a", ["new", "word"]);
    expect(ids(index, "old")).toEqual([]);
    expect(index.knows("old", ALL)).toBe(false);
    expect(index.delete("b")).toBe(true);
    expect(index.delete("b")).toBe(false);
    expect([...index.termsFrom("o", 3)]).toEqual([]);
    expect([...index.termsFrom("w", 4)]).toEqual(["word"]);
    expect(ids(index, "word")).toEqual(["a"]);
    expect(index.size).toBe(1);
  });

  it("counts a word at most as often as fits", () => {
    const index = filled({ a: ["", "word ".repeat(1_000)], b: ["", "word"] });
    expect(ids(index, "word").sort()).toEqual(["a", "b"]);
  });

  it("ranks a part as an index of that part alone would, whatever was put in and taken out before", () => {
    const dice = new Dice(20261116);
    const words = ["alpha", "beta", "gamma", "delta", "list", "file", "user", "mail"];
    const phrase = () => Array.from({ length: dice.below(6) }, () => dice.one(words)).join(" ");
    const index = new FieldIndex(OPTIONS);
    const texts = new Map<string, readonly string[]>();
    for (let round = 0; round < 200; round++) {
      const id = `t${dice.below(40)}`;
      if (dice.below(4) === 0) {
        index.delete(id);
        texts.delete(id);
      } else {
        texts.set(id, [phrase(), phrase()]);
        index.put(id, texts.get(id)!);
      }
      const chosen = new Set([...texts.keys()].filter(() => dice.below(2) === 0));
      const alone = filled(Object.fromEntries([...texts].filter(([each]) => chosen.has(each))));
      const query = sought(phrase());
      expect(index.search(query, { has: (each) => chosen.has(each) }, 5)).toEqual(
        alone.search(query, ALL, 5),
      );
    }
  });
});
