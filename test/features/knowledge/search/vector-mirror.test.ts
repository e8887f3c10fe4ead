import { expect, test } from "vitest";
import { VectorMirror } from "../../../../src/features/knowledge/search/vector-mirror.ts";
import { cosine } from "../../../../src/machine/text/meaning/direction.ts";
import { Dice } from "../../../support/dice.ts";

const DIMENSIONS = 96;
const WANTED = 40;

/** Vectors of a few topics, as a reader of the index gives them. */
function drawnVectors(count: number, dice: Dice) {
  const drawn = () => Float32Array.from({ length: DIMENSIONS }, () => dice.below(2_001) / 1_000 - 1);
  const topics = Array.from({ length: 20 }, drawn);
  const near = () => {
    const [topic, aspect] = [dice.one(topics), dice.one(topics)];
    return Int8Array.from(topic, (value, at) => 60 * value + 25 * aspect[at]! + dice.below(31) - 15);
  };
  const rows = Array.from({ length: count }, (_, at) => ({ no: at + 1, revision: at + 1, vector: near() }));
  const reader = {
    changedVectors: async ({ no }: { readonly no: number }, limit: number) =>
      rows
        .slice(no, no + limit)
        .map(({ vector, ...row }) => ({ ...row, vector: new Uint8Array(vector.buffer) })),
  };
  return { reader: reader as never, rows, near };
}

test("the nearest of few vectors are exactly those, and of many nearly all", async () => {
  const dice = new Dice(7);
  const { reader, rows, near } = drawnVectors(2_000, dice);
  const whole = new VectorMirror(reader);
  const coded = new VectorMirror(reader, 0);
  await Promise.all([whole.catchUp("m"), coded.catchUp("m")]);
  expect([whole.isExact, coded.isExact]).toEqual([true, false]);
  let found = 0;
  for (let at = 0; at < 10; at++) {
    const query = near();
    const accept = (no: number) => no % 3 !== 0;
    const exactly = rows
      .filter(({ no }) => accept(no))
      .map(({ no, vector }) => ({ no, score: cosine(query, vector) }))
      .sort((a, b) => b.score - a.score || a.no - b.no)
      .slice(0, WANTED)
      .map(({ no }) => no);
    expect(whole.nearest(query, 2_001, WANTED, accept)).toEqual(exactly);
    expect(whole.likenessTo(query)(5)).toBeCloseTo(cosine(query, rows[4]!.vector), 10);
    const byCodes = coded.nearest(query, 2_001, 3 * WANTED, accept);
    expect(byCodes).toHaveLength(3 * WANTED);
    expect(byCodes.every(accept)).toBe(true);
    found += exactly.filter((no) => byCodes.includes(no)).length;
  }
  expect(found / (10 * WANTED)).toBeGreaterThan(0.9);
});

test("vectors that become too many are held by their codes, and of another model from the beginning", async () => {
  const { reader } = drawnVectors(100, new Dice(1));
  const mirror = new VectorMirror(reader, 99 * DIMENSIONS);
  await mirror.catchUp("m");
  expect([mirror.isExact, mirror.count]).toEqual([false, 100]);
  await mirror.catchUp("other");
  expect(mirror.count).toBe(100);
});
