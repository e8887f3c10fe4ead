import { describe, expect, it } from "vitest";
import { fuseScores, MEANING_WEIGHT, MIN_SIMILARITY } from "../../../src/call/search/fusion.ts";

const none = () => undefined;

describe("words and meaning", () => {
  it("are added up", () => {
    const near = [
      { at: 0, similarity: 0.5 },
      { at: 2, similarity: 0.8 },
    ];
    const similarityAt = (at: number) => (at === 1 ? 0.1 : undefined);
    const words = [
      { at: 0, score: 3 },
      { at: 1, score: 4 },
    ];
    expect(fuseScores(words, near, similarityAt)).toEqual([
      { at: 0, score: 3 + MEANING_WEIGHT * 0.5 },
      { at: 1, score: 4 + MEANING_WEIGHT * 0.1 },
      { at: 2, score: MEANING_WEIGHT * 0.8 },
    ]);
  });

  it("leave a tool without a vector where its words put it among the others", () => {
    const words = [5, 4, 3].map((score, at) => ({ at, score }));
    const near = [
      { at: 0, similarity: 0.4 },
      { at: 2, similarity: 0.4 },
    ];
    const order = fuseScores(words, near, none)
      .sort((a, b) => b.score - a.score)
      .map(({ at }) => at);
    expect(order).toEqual([0, 1, 2]);
  });

  it("find nothing where no word fits and nothing is much alike", () => {
    expect(fuseScores([], [{ at: 0, similarity: MIN_SIMILARITY - 0.01 }], none)).toEqual([]);
    expect(fuseScores([], [{ at: 0, similarity: MIN_SIMILARITY }], none)).toHaveLength(1);
    expect(fuseScores([{ at: 1, score: 1 }], [{ at: 0, similarity: 0.1 }], none)).toHaveLength(2);
  });
});
