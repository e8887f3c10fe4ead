import { expect, test } from "vitest";
import { NumberLists } from "../../src/text/number-lists.ts";
import { Postings } from "../../src/text/postings.ts";
import { Dice } from "../support/dice.ts";

test("postings hold what was added and not removed, for random changes", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const dice = new Dice(seed);
    const postings = new Postings("term");
    const expected = new Map<number, number>();
    const steps = dice.below(200);
    for (let step = 0; step < steps; step++) {
      const slot = dice.below(60);
      if (expected.delete(slot)) postings.remove(slot);
      else {
        expected.set(slot, 1 + dice.below(1_000));
        postings.add(slot, expected.get(slot)!);
      }
    }
    const { data, room, size } = postings;
    const held = Array.from({ length: size }, (_, at) => [data[at]!, data[room + at]!] as const);
    expect(new Map(held), `seed ${seed}`).toEqual(expected);
    expect(size).toBe(expected.size);
    expect(room, `seed ${seed}`).toBeLessThanOrEqual(Math.max(4, 6 * size));
  }
});

test("lists of numbers stay as they were put, in room that does not grow with what was deleted", () => {
  const dice = new Dice(3);
  const lists = new NumberLists();
  const expected = new Map<number, number[]>();
  for (let step = 0; step < 20_000; step++) {
    const slot = dice.below(50);
    if (expected.delete(slot)) lists.delete(slot);
    else {
      const numbers = Array.from({ length: dice.below(40) }, () => dice.below(1_000));
      expected.set(slot, numbers);
      lists.put(slot, numbers);
    }
  }
  for (const [slot, numbers] of expected) expect([...lists.get(slot)]).toEqual(numbers);
  expect(lists.room).toBeLessThan(50 * 40 * 2);
});
