import { describe, expect, it } from "vitest";
import { beginningBit, endBit, LiteralTree } from "../../../src/lib/text/literal-tree.ts";
import { Dice } from "../../support/dice.ts";

describe("a tree of literals", () => {
  it.each(["beginning", "end"] as const)("finds all of those at the %s of a text, and no other", (side) => {
    const dice = new Dice(3);
    const word = () => Array.from({ length: dice.below(7) }, () => dice.one(["a", "b", "ab", "c"])).join("");
    for (let round = 0; round < 200; round++) {
      const literals = Array.from({ length: dice.below(30) }, word);
      const tree = new LiteralTree<number>(side);
      literals.forEach((literal, index) => {
        tree.add(literal, index);
      });
      for (let count = 0; count < 20; count++) {
        const text = word();
        const found: number[] = [];
        tree.collect(text, found);
        const expected = literals.flatMap((literal, index) =>
          (side === "end" ? text.endsWith(literal) : text.startsWith(literal)) ? [index] : [],
        );
        expect(found.toSorted((a, b) => a - b)).toEqual(expected);
        const bit = (side === "end" ? endBit : beginningBit)(text);
        if (expected.length > 0) expect(tree.mayHave(bit)).toBe(true);
      }
    }
  });

  it("knows of a beginning that nothing has", () => {
    const tree = new LiteralTree<number>("beginning");
    tree.add("src/", 0);
    expect(tree.mayHave(beginningBit("/etc") | beginningBit("notes"))).toBe(false);
    expect(tree.mayHave(beginningBit("/etc") | beginningBit("s"))).toBe(true);
  });
});
