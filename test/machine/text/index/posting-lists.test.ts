import { expect, test } from "vitest";
import { NumberLists } from "../../../../src/machine/text/index/number-lists.ts";
import { PostingLists } from "../../../../src/machine/text/index/posting-lists.ts";
import { Dice } from "../../../support/dice.ts";

function pairsOf(lists: PostingLists, number: number): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  lists.visit(number, (data, from, to) => {
    for (let at = from; at < to; at += 2) pairs.push([data[at]!, data[at + 1]!]);
  });
  return pairs;
}

test("postings are what was added and not removed, for random changes of several lists", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const dice = new Dice(seed);
    const lists = new PostingLists();
    const expected = Array.from({ length: 3 }, () => new Map<number, number>());
    const slots = 1 + dice.below(900);
    for (let step = 0; step < 4_000; step++) {
      const number = dice.below(3);
      const slot = dice.below(slots);
      if (expected[number]!.delete(slot)) lists.remove(number, slot);
      else {
        expected[number]!.set(slot, 1 + dice.below(1_000));
        lists.add(number, slot, expected[number]!.get(slot)!);
      }
    }
    for (const [number, pairs] of expected.entries()) {
      expect(lists.size(number), `seed ${seed}`).toBe(pairs.size);
      expect(new Map(pairsOf(lists, number)), `seed ${seed}`).toEqual(pairs);
    }
  }
});

test("room that postings have left is used again", () => {
  const lists = new PostingLists();
  const fill = (number: number) => {
    for (let slot = 0; slot < 4_000; slot++) lists.add(number, slot, 1);
  };
  fill(0);
  const { room } = lists;
  for (let number = 0; number < 20; number++) {
    for (let slot = 0; slot < 4_000; slot++) lists.remove(number, slot);
    fill(number + 1);
  }
  expect(lists.room).toBe(room);
  expect(pairsOf(lists, 0)).toEqual([]);
  expect(lists.size(20)).toBe(4_000);
});

test("lists of numbers stay as they were put, in room that does not grow with what was deleted", () => {
  const dice = new Dice(3);
  const lists = new NumberLists();
  const expected = new Map<number, number[]>();
  for (let step = 0; step < 40_000; step++) {
    const slot = dice.below(50);
    if (expected.delete(slot)) lists.delete(slot);
    else {
      const numbers = Array.from({ length: dice.below(40) }, () => dice.below(1_000));
      expected.set(slot, numbers);
      lists.put(slot, numbers);
    }
  }
  for (const [slot, numbers] of expected) expect([...lists.get(slot)]).toEqual(numbers);
  expect(lists.room).toBeLessThanOrEqual(2 * 2 ** 16);
});
