import type { Near } from "../../machine/text/meaning/vector-index.ts";

/** A position in a list of tools, and its score. */
export interface ScoredPosition {
  readonly at: number;
  readonly score: number;
}

/**
 * The weight of a cosine beside the words. Word scores add up evidence, rarer words counting more, and similarity is
 * one more piece of it: it decides little where many rare words match, and everything where none do. Chosen on the sets
 * marked *tune*.
 */
export const MEANING_WEIGHT = 20;
/** Where no tool has a word of the query, less similar tools are unrelated. */
export const MIN_SIMILARITY = 0.3;
/** How many of the best by words, and of the best by meaning, are considered together. */
export const CANDIDATES = 128;

/**
 * Combines scores by words and by meaning, in no order. `words` includes every tool of `near` that has a word of the
 * query. A tool without a vector gets the average similarity, so that only its words tell it from the others.
 */
export function fuseScores(
  words: readonly ScoredPosition[],
  near: readonly Near[],
  similarityAt: (at: number) => number | undefined,
): ScoredPosition[] {
  const similarities = new Map(near.map(({ at, similarity }) => [at, similarity]));
  const known = words.map(({ at }) => similarities.get(at) ?? similarityAt(at));
  const average = averageOf(known);
  const merged = words.map(({ at, score }, index) => {
    similarities.delete(at);
    return { at, score: score + MEANING_WEIGHT * (known[index] ?? average) };
  });
  const threshold = words.length === 0 ? MIN_SIMILARITY : Number.NEGATIVE_INFINITY;
  for (const [at, similarity] of similarities)
    if (similarity >= threshold) merged.push({ at, score: MEANING_WEIGHT * similarity });
  return merged;
}

function averageOf(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
}
