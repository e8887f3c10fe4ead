import type { Candidate, Candidates } from "./ranking.ts";

export interface ScoredChunk {
  readonly chunk: number;
  /** From 0 to 1. */
  readonly score: number;
}

export interface RankedEntity {
  readonly entity: number;
  readonly score: number;
  /** Best first. */
  readonly chunks: readonly ScoredChunk[];
}

/** Chosen on the set marked *tune*; see docs/knowledge-search.md. */
export const FUSION = {
  /** The weight of words beside meaning. */
  lexical: 0.5,
};

/**
 * Leaves out candidates without a word of the query that are not similar to it either: in a small index even the nearest
 * vectors are unrelated. Candidates of an earlier page stay.
 */
export function relevantOf(
  { chunks, bestLexical }: Candidates,
  likenesses: ReadonlyMap<number, number> | undefined,
  { floor, settled }: { readonly floor: number; readonly settled: ReadonlySet<number> },
): Candidates {
  const isRelevant = ({ chunk, entity, lexical }: Candidate) =>
    lexical > 0 || settled.has(entity) || (likenesses?.get(chunk) ?? -1) >= floor;
  return { chunks: chunks.filter(isRelevant), bestLexical };
}

/**
 * One score for each chunk, from its words and its meaning, each scaled to 0 to 1 among these candidates. It adds scores, not
 * ranks, because ranks would give an encoder that has nothing to say as much weight as the words.
 */
export function fusedChunks(
  { chunks, bestLexical }: Candidates,
  likenesses: ReadonlyMap<number, number> | undefined,
  wordShare: number,
): (ScoredChunk & { readonly entity: number })[] {
  const byWords = ({ lexical }: Candidate) => (bestLexical === 0 ? 0 : Math.min(1, lexical / bestLexical));
  if (!likenesses || likenesses.size === 0)
    return chunks.map((one) => ({ chunk: one.chunk, entity: one.entity, score: byWords(one) }));
  let [least, most] = [1, -1];
  for (const likeness of likenesses.values()) {
    least = Math.min(least, likeness);
    most = Math.max(most, likeness);
  }
  const range = Math.max(1e-6, most - least);
  const share = bestLexical === 0 ? 0 : wordShare;
  return chunks.map((one) => {
    const words = byWords(one);
    const likeness = likenesses.get(one.chunk);
    // Chunks without a vector are scored by words alone.
    const meaning = likeness === undefined ? words : (likeness - least) / range;
    return { chunk: one.chunk, entity: one.entity, score: share * words + (1 - share) * meaning };
  });
}

/** Entities by their best chunks, best first. */
export function rankedEntities(
  chunks: readonly (ScoredChunk & { readonly entity: number })[],
  limit: number,
): RankedEntity[] {
  const byEntity = new Map<number, ScoredChunk[]>();
  for (const one of chunks) {
    const those = byEntity.get(one.entity);
    if (those) those.push(one);
    else byEntity.set(one.entity, [one]);
  }
  const ranked = [...byEntity].map(([entity, those]) => {
    those.sort((a, b) => b.score - a.score || a.chunk - b.chunk);
    return { entity, score: those[0]!.score, chunks: those };
  });
  return ranked.sort((a, b) => b.score - a.score || a.entity - b.entity).slice(0, limit);
}
