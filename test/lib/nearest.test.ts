import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "../../src/lib/nearest.ts";
import { Dice } from "../support/dice.ts";

describe("nearest", () => {
  it("takes no short word for another that shares nothing with it", () => {
    expect(nearest("ZZ", ["TK"])).toBeUndefined();
    expect(nearest("sf", ["fs"])).toBe("fs");
  });

  it("finds the word a typo meant", () => {
    expect(nearest("raed_file", ["write_file", "read_file", "grep"])).toBe("read_file");
  });

  it("finds nothing where nothing is close", () => {
    expect(nearest("send_mail", ["grep", "read_file"])).toBeUndefined();
  });

  it("takes the first of equally close words", () => {
    expect(nearest("abc", ["abd", "abe"])).toBe("abd");
  });

  it("is the first of those with the fewest edits, for random words", () => {
    const dice = new Dice(11);
    const word = () => Array.from({ length: dice.below(14) }, () => dice.one(["a", "b", "c"])).join("");
    for (let round = 0; round < 300; round++) {
      const meant = word();
      const words = Array.from({ length: 10 }, word);
      const alike = words.filter((each) => [...meant].some((letter) => each.includes(letter)));
      const edits = alike.map((each) => editDistance(meant, each));
      const fewest = Math.min(...edits);
      const expected =
        fewest <= Math.max(2, Math.floor(meant.length / 3)) ? alike[edits.indexOf(fewest)] : undefined;
      expect([meant, words, nearest(meant, new Set(words))]).toEqual([meant, words, expected]);
    }
  });
});

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["kitten", "sitting", 3],
    ["abc", "", 3],
    ["flaw", "lawn", 2],
  ])("%j to %j takes %i edits", (a, b, edits) => {
    expect(editDistance(a, b)).toBe(edits);
  });

  it("is the same below every limit, for random words", () => {
    const dice = new Dice(7);
    const word = () => Array.from({ length: dice.below(12) }, () => dice.one(["a", "b", "c"])).join("");
    for (let round = 0; round < 500; round++) {
      const [a, b] = [word(), word()];
      const edits = editDistance(a, b);
      expect(edits).toBe(editDistance(b, a));
      for (const limit of [1, 2, 3, 5, 20])
        expect([a, b, editDistance(a, b, limit)]).toEqual([a, b, Math.min(edits, limit)]);
    }
  });

  it("gives up at its limit", () => {
    expect(editDistance("aaaaaaaa", "bbbbbbbb", 3)).toBe(3);
  });

  it("does not compare words that nobody could have mistyped", () => {
    expect(nearest("k".repeat(100_000), [`${"k".repeat(99_999)}z`])).toBeUndefined();
  });
});
