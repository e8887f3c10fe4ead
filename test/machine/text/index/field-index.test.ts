import { describe, expect, it } from "vitest";
import { termsOf } from "../../../../src/machine/text/analyser.ts";
import { FieldIndex } from "../../../../src/machine/text/index/field-index.ts";
import type { Part } from "../../../../src/machine/text/index/part-statistics.ts";
import { Dice } from "../../../support/dice.ts";

const OPTIONS = {
  fields: [
    { name: "name", weight: 2, b: 0.5 },
    { name: "text", weight: 1, b: 0.75 },
  ],
  k1: 1.2,
  coverage: 2,
};
const partOf = (...ids: readonly string[]): Part => ({ size: ids.length, id: (at) => ids[at]! });
const ABC = partOf("a", "b", "c");
const sought = (query: string) => new Map(termsOf(query).map((term) => [term, 1]));
const ids = (index: FieldIndex, query: string, part = ABC, limit = 10) =>
  index.search(sought(query), part, limit).map(({ id }) => id);
/** What is found in each part, whatever the places are there. */
const hits = (index: FieldIndex, query: string, part: Part, limit = 5) =>
  index.search(sought(query), part, limit).map(({ id, score }) => ({ id, score }));

function filled(texts: Readonly<Record<string, readonly string[]>>): FieldIndex {
  const index = new FieldIndex(OPTIONS);
  for (const [id, fields] of Object.entries(texts)) index.put(id, fields);
  return index;
}

describe("an index of fields", () => {
  it("says what a score is made of: its terms with their fields, and how much of the name was said", () => {
    const index = filled({
      a: ["list files", "shows the files of a folder"],
      b: ["delete folder", "removes a folder with its files"],
      c: ["say hello", "to somebody"],
    });
    const shares = index.explain(["a", "b", "c"], sought("list the files"), ABC);
    const [a] = index.search(sought("list the files"), ABC, 1);
    const { terms, coverage } = shares.get("a")!;
    expect(terms.map(({ term, fields }) => [term, fields])).toEqual([
      ["list", ["name"]],
      ["file", ["name", "text"]],
    ]);
    expect(coverage).toBeCloseTo(OPTIONS.coverage);
    expect(terms.reduce((sum, { score }) => sum + score, coverage)).toBeCloseTo(a!.score, 4);
    expect([...shares.keys()]).toEqual(["a", "b"]);
    expect(index.search(sought("list the files"), ABC, 1)).toEqual([a]);
  });

  it("counts a word in a field of more weight for more", () => {
    const index = filled({ a: ["browser", "screenshot of a page"], b: ["screenshot", "picture of a page"] });
    expect(ids(index, "screenshot")).toEqual(["b", "a"]);
  });

  it("puts a text first whose first field the query names whole", () => {
    const index = filled({ a: ["list files of project", "x"], b: ["list files", "x"] });
    expect(ids(index, "list files")).toEqual(["b", "a"]);
  });

  it("gives equal matches in the order of their ids, and no more than asked for", () => {
    const index = filled({ c: ["same", ""], a: ["same", ""], b: ["same", ""] });
    expect(ids(index, "same")).toEqual(["a", "b", "c"]);
    expect(ids(index, "same", ABC, 2)).toEqual(["a", "b"]);
    expect(ids(index, "same", ABC, 0)).toEqual([]);
  });

  it("gives the score of whatever else was asked for, where it matches", () => {
    const index = filled({ a: ["same", "same"], b: ["same", ""], c: ["other", ""] });
    const all = index.search(sought("same"), ABC, 10);
    expect(all.map(({ at }) => at)).toEqual([0, 1]);
    expect(index.search(sought("same"), ABC, 1, [0, 1, 2])).toEqual(all);
    expect(index.search(sought("other"), partOf("a", "gone"), 1, [0, 1])).toEqual([]);
  });

  it("forgets what was replaced or deleted, and the words that only stood there", () => {
    const index = filled({ a: ["old", "word"], b: ["other", "word"] });
    index.put("a", ["new", "word"]);
    expect(ids(index, "old")).toEqual([]);
    expect(index.knows("old", ABC)).toBe(false);
    expect(index.delete("b")).toBe(true);
    expect(index.delete("b")).toBe(false);
    expect([...index.termsFrom("o", 3)]).toEqual([]);
    expect([...index.termsFrom("w", 4)]).toEqual(["word"]);
    expect(ids(index, "word")).toEqual(["a"]);
    expect(index.size).toBe(1);
  });

  it("says where in the part a match stands, and leaves out what it has not", () => {
    const index = filled({ a: ["one", ""], b: ["one two", ""] });
    const part = partOf("x", "b", "a", "b");
    expect(index.search(sought("one"), part, 5)).toMatchObject([
      { id: "a", at: 2 },
      { id: "b", at: 1 },
    ]);
    expect(index.knows("two", partOf("a"))).toBe(false);
    expect(index.knows("two", part)).toBe(true);
  });

  it("is as small after a thousand changes as at first", () => {
    const index = new FieldIndex(OPTIONS);
    const put = (round: number) => {
      for (let tool = 0; tool < 10; tool++)
        index.put(`t${tool}`, [`tool${tool} round${round}`, `common words and own${round}x${tool}`]);
    };
    put(0);
    put(1);
    const { room } = index;
    for (let round = 2; round <= 1_000; round++) put(round);
    expect(index.room).toEqual(room);
    for (let tool = 0; tool < 10; tool++) index.delete(`t${tool}`);
    expect(index.size).toBe(0);
    put(0);
    expect(index.room).toEqual(room);
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
      const chosen = [...texts.keys()].filter(() => dice.below(2) === 0);
      const alone = filled(Object.fromEntries(chosen.map((each) => [each, texts.get(each)!])));
      const query = phrase();
      const whole = partOf(...chosen.toReversed());
      expect(hits(index, query, partOf(...chosen)), `round ${round}`).toEqual(hits(alone, query, whole));
    }
  });
});
