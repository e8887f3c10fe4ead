import type { Near } from "../../machine/text/meaning/vector-index.ts";

/** A place of a part and what it scored. */
export interface Placed {
  readonly at: number;
  readonly score: number;
}

/**
 * What a cosine is worth beside the words. Scores of words add up evidence (each word counts by how rare it is), and likeness is one more
 * piece of it: so where many rare words match it decides little, and where none do it decides all. Chosen on the sets marked *tune*.
 */
export const MEANING_WEIGHT = 20;
/** Where no tool has a word of the query, what is less alike than this has nothing to do with it. */
export const LEAST_ALIKE = 0.3;
/** As many of the best by words and of the best by meaning are looked at together. */
export const CANDIDATES = 128;

/**
 * Words and meaning together, in no order. `words` are the matches by words, of them also every one of `near` that has some; a tool
 * without a vector counts as those beside it do on average, so that it is judged by its words alone.
 */
export function fused(
  words: readonly Placed[],
  near: readonly Near[],
  similarityAt: (at: number) => number | undefined,
): Placed[] {
  const similarities = new Map(near.map(({ at, similarity }) => [at, similarity]));
  const known = words.map(({ at }) => similarities.get(at) ?? similarityAt(at));
  const average = averageOf(known);
  const fused = words.map(({ at, score }, index) => {
    similarities.delete(at);
    return { at, score: score + MEANING_WEIGHT * (known[index] ?? average) };
  });
  const least = words.length === 0 ? LEAST_ALIKE : Number.NEGATIVE_INFINITY;
  for (const [at, similarity] of similarities)
    if (similarity >= least) fused.push({ at, score: MEANING_WEIGHT * similarity });
  return fused;
}

function averageOf(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
}
