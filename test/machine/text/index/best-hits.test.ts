import { expect, test } from "vitest";
import { BestHits } from "../../../../src/machine/text/index/best-hits.ts";
import { Dice } from "../../../support/dice.ts";

const inOrder = (one: number, other: number) => one < other;

test("the best are those that sorting all of them gives, equal ones in their order", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const dice = new Dice(seed);
    const scores = Array.from({ length: dice.below(60) }, () => dice.below(10));
    const limit = dice.below(20);
    const best = new BestHits(limit, inOrder);
    for (const item of scores.keys()) best.add(item, scores[item]!);
    const sorted = scores.map((score, item) => ({ item, score })).sort((a, b) => b.score - a.score);
    expect(best.sorted(), `seed ${seed}`).toEqual(sorted.slice(0, limit));
  }
});

test.each([0, -1])("nothing is kept where %d are asked for", (limit) => {
  const best = new BestHits(limit, inOrder);
  best.add(1, 1);
  expect(best.sorted()).toEqual([]);
});
