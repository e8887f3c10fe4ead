import { describe, expect, it } from "vitest";
import { cosine, directionOf } from "../../../../src/machine/text/meaning/direction.ts";
import type { Vector } from "../../../../src/machine/text/meaning/embedder.ts";
import { VectorIndex } from "../../../../src/machine/text/meaning/vector-index.ts";
import { Dice } from "../../../support/dice.ts";

const DIMENSIONS = 96;
const partOf = (ids: readonly string[]) => ({ size: ids.length, id: (at: number) => ids[at]! });

/** Random directions around a few centres, as texts have subjects. */
function crowd(count: number, seed: number): Vector[] {
  const dice = new Dice(seed);
  const random = () => dice.below(1_000) / 1_000;
  const around = (centre: readonly number[], spread: number) =>
    directionOf(Float32Array.from(centre, (value) => value + spread * (random() - 0.5)));
  const centres = Array.from({ length: 12 }, () => Array.from({ length: DIMENSIONS }, () => random() - 0.5));
  return Array.from({ length: count }, (_, at) => around(centres[at % centres.length]!, 0.8));
}

describe("vectors in one piece of memory", () => {
  it("are as alike as their cosines say, also after others took their place", () => {
    const vectors = crowd(300, 7);
    const index = new VectorIndex();
    for (const at of vectors.keys()) index.put(`${at}`, vectors[(at + 1) % 300]!);
    for (let at = 0; at < 300; at += 3) index.delete(`${at}`);
    for (const [at, vector] of vectors.entries()) index.put(`${at}`, vector);
    expect(index.size).toBe(300);
    const part = partOf(vectors.map((_, at) => `${at}`));
    const near = index.nearest(vectors[5]!, part, 1_000);
    expect(near).toHaveLength(300);
    for (const { at, similarity } of near) {
      expect(similarity).toBeCloseTo(cosine(vectors[5]!, vectors[at]!), 5);
      expect(index.similarityTo(vectors[5]!, part)(at)).toBe(similarity);
    }
  });

  it("finds nearly all of the nearest by their codes, and not many more than it was asked for", () => {
    const vectors = crowd(4_000, 8);
    const index = new VectorIndex();
    for (const [at, vector] of vectors.entries()) index.put(`${at}`, vector);
    const part = partOf(vectors.map((_, at) => `${at}`));
    for (const query of vectors.slice(0, 20)) {
      const best = vectors
        .map((vector, at) => ({ at, similarity: cosine(query, vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 10);
      const found = new Set(index.nearest(query, part, 400).map(({ at }) => at));
      expect(found.size).toBeGreaterThanOrEqual(400);
      expect(found.size).toBeLessThan(600);
      expect(best.filter(({ at }) => found.has(at)).length).toBeGreaterThanOrEqual(9);
    }
  });

  it("knows of nothing outside the part, and of its places without a vector nothing either", () => {
    const vectors = crowd(3, 9);
    const index = new VectorIndex();
    for (const [at, vector] of vectors.entries()) index.put(`${at}`, vector);
    const part = partOf(["none", "2"]);
    expect(index.nearest(vectors[0]!, part, 10).map(({ at }) => at)).toEqual([1]);
    expect(index.similarityTo(vectors[0]!, part)(0)).toBeUndefined();
    index.delete("2");
    expect(index.nearest(vectors[0]!, part, 10)).toEqual([]);
    index.put("none", vectors[1]!);
    expect(index.nearest(vectors[0]!, part, 10).map(({ at }) => at)).toEqual([0]);
  });

  it("looks at few even where all are equally far", () => {
    const [vector] = crowd(1, 10) as [Vector];
    const index = new VectorIndex();
    const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`);
    for (const id of ids) index.put(id, vector);
    expect(index.nearest(vector, partOf(ids), 10)).toHaveLength(20);
  });

  it.each([992, 993, 1_536, 4_096])("counts the bits of %i dimensions, however many differ", (dimensions) => {
    const index = new VectorIndex();
    const vectors = [1, 0.5, 0].map((share) =>
      new Int8Array(dimensions).fill(100).fill(-100, Math.round(dimensions * share)),
    );
    for (const [at, vector] of vectors.entries()) index.put(`${at}`, vector);
    const near = index.nearest(vectors[0]!, partOf(["2", "1", "0"]), 1);
    expect(near).toEqual([{ at: 2, similarity: expect.closeTo(1, 6) }]);
    expect(() => index.put("other", new Int8Array(dimensions - 1))).toThrow(RangeError);
    expect(() => new VectorIndex().put("large", new Int8Array(4_097))).toThrow(RangeError);
  });

  it("takes a vector of zeros for like nothing", () => {
    const index = new VectorIndex();
    index.put("a", new Int8Array(DIMENSIONS));
    expect(index.nearest(new Int8Array(DIMENSIONS), partOf(["a"]), 1)).toEqual([{ at: 0, similarity: 0 }]);
  });
});
