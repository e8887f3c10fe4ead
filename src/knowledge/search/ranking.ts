import type { PostingsRow } from "../../store/knowledge/index-store.ts";
import { visitPostings } from "../../store/knowledge/postings.ts";
import { BestHits } from "../../text/best-hits.ts";
import type { Vector } from "../../text/embedder.ts";
import type { IndexMirror } from "./index-mirror.ts";
import type { Lexical, Scope } from "./lexical.ts";
import type { SoughtTerms } from "./sought.ts";
import type { VectorMirror } from "./vector-mirror.ts";

/** A chunk that may be worth showing. */
export interface Candidate {
  readonly chunk: number;
  readonly entity: number;
  /** By words, neighbours included; 0: it has none of them. */
  readonly lexical: number;
}

export interface Candidates {
  readonly chunks: readonly Candidate[];
  /** The best score by words there is. */
  readonly bestLexical: number;
}

export interface CandidatesRequest {
  readonly terms: SoughtTerms;
  readonly scope: Scope;
  /** Entities that the filters let through, by number; undefined: all. */
  readonly allowed: Uint8Array | undefined;
  readonly vector: Vector | undefined;
  /** Entities whose chunks are wanted whatever they score, beside the best. */
  readonly also: readonly number[];
}

/** How they were chosen, and what that is worth: docs/knowledge-search.md. */
export const LIFT = {
  /** What the chunks before and after add of their own score. */
  neighbour: 0.05,
  /** What the score of the whole document adds. */
  document: 4,
};
/** As many of the best by words, and of the most alike, are looked at together. */
export const CANDIDATES = { lexical: 800, dense: 300 };
/** Of a long entity that is wanted in any case only so many chunks are looked at. */
const MAX_ALSO = 200;

/**
 * What may be worth showing: the best by words and those most alike, whichever found them. Everything here happens without waiting, so that searches
 * can share what they work with.
 */
export function candidatesOf(
  { terms, scope, allowed, vector, also }: CandidatesRequest,
  deps: { readonly mirror: IndexMirror; readonly lexical: Lexical; readonly vectors: VectorMirror },
): Candidates {
  const { mirror, lexical, vectors } = deps;
  const { entityOf, sourceOf } = mirror;
  const rejected = rejectedEntities(terms, mirror);
  const inPhrases = chunksWithPhrases(terms);
  const accept = (chunk: number) =>
    scope.sources[sourceOf[chunk]!] === 1 &&
    (allowed === undefined || allowed[entityOf[chunk]!] === 1) &&
    (rejected === undefined || !rejected.has(entityOf[chunk]!)) &&
    (inPhrases === undefined || inPhrases.has(chunk));

  lexical.score(terms.sought, terms.rows, scope);
  try {
    const lifted = (chunk: number) => liftedScore(chunk, mirror, lexical);
    const best = new BestHits(CANDIDATES.lexical, (one, other) => one < other);
    for (let at = 0; at < lexical.count; at++) {
      const chunk = lexical.chunkAt(at);
      if (accept(chunk)) best.add(chunk, lifted(chunk));
    }
    const hits = best.sorted();
    const chosen = new Map(hits.map(({ item, score }) => [item, score]));
    if (vector)
      for (const { chunk } of vectors.nearest(vector, mirror.chunkEnd, CANDIDATES.dense, accept))
        if (!chosen.has(chunk)) chosen.set(chunk, lexical.scoreOf(chunk) === 0 ? 0 : lifted(chunk));
    for (const no of also) {
      const { firstChunk = 0, chunkCount = 0 } = mirror.entity(no) ?? {};
      for (let chunk = firstChunk; chunk < firstChunk + Math.min(chunkCount, MAX_ALSO); chunk++)
        if (!chosen.has(chunk) && accept(chunk))
          chosen.set(chunk, lexical.scoreOf(chunk) === 0 ? 0 : lifted(chunk));
    }
    return {
      chunks: [...chosen].map(([chunk, score]) => ({ chunk, entity: entityOf[chunk]!, lexical: score })),
      bestLexical: hits[0]?.score ?? 0,
    };
  } finally {
    lexical.clear();
  }
}

/** What stands beside a passage belongs to it: it was cut somewhere. */
function liftedScore(chunk: number, { entityOf }: IndexMirror, lexical: Lexical): number {
  const entity = entityOf[chunk];
  let score = lexical.scoreOf(chunk) + LIFT.document * lexical.entityScoreOf(entity!);
  if (entityOf[chunk - 1] === entity) score += LIFT.neighbour * lexical.scoreOf(chunk - 1);
  if (entityOf[chunk + 1] === entity) score += LIFT.neighbour * lexical.scoreOf(chunk + 1);
  return score;
}

/** Entities of which a chunk has what the query does not want; undefined: it wants everything. */
function rejectedEntities({ not, rows }: SoughtTerms, { entityOf }: IndexMirror): Set<number> | undefined {
  if (not.length === 0) return undefined;
  const rejected = new Set<number>();
  for (const terms of not) for (const chunk of chunksWithAll(terms, rows)) rejected.add(entityOf[chunk] ?? 0);
  return rejected;
}

/** Chunks that have the words of all phrases, in whatever order; undefined: there are no phrases. */
function chunksWithPhrases({ phrases, rows }: SoughtTerms): Set<number> | undefined {
  return phrases.length === 0 ? undefined : chunksWithAll([...new Set(phrases.flat())], rows);
}

export function chunksWithAll(terms: readonly string[], rows: readonly PostingsRow[]): Set<number> {
  let common: Set<number> | undefined;
  for (const term of terms) {
    const those = new Set<number>();
    for (const { term: own, block, data } of rows)
      if (own === term)
        visitPostings(block, data, (chunk) => {
          if (common === undefined || common.has(chunk)) those.add(chunk);
        });
    common = those;
  }
  return common ?? new Set();
}
