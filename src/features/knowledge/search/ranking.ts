import { BestHits } from "../../../machine/text/index/best-hits.ts";
import type { Vector } from "../../../machine/text/meaning/embedder.ts";
import type { PostingsRow } from "../index/index-store.ts";
import { visitPostings } from "../index/postings.ts";
import type { IndexMirror } from "./index-mirror.ts";
import type { Lexical, Scope } from "./lexical.ts";
import type { RowsByTerm, SoughtTerms } from "./sought.ts";
import type { VectorMirror } from "./vector-mirror.ts";

/** A chunk that may be worth showing. */
export interface Candidate {
  readonly chunk: number;
  readonly entity: number;
  /** The score by words, including neighbours; 0: it has none of them. */
  readonly lexical: number;
}

export interface Candidates {
  readonly chunks: readonly Candidate[];
  /** The best score by words. */
  readonly bestLexical: number;
}

export interface CandidatesRequest {
  readonly terms: SoughtTerms;
  readonly scope: Scope;
  /** Entities that match the filters, by number; undefined: all. */
  readonly allowed: Uint8Array | undefined;
  readonly vector: Vector | undefined;
  /** Entities whose chunks are included regardless of their score. */
  readonly also: readonly number[];
  /** Entities that matched before and have not changed: filters and exclusions are not checked again. */
  readonly settled: ReadonlySet<number>;
}

/** docs/knowledge-search.md describes how they were chosen and measured. */
export const LIFT = {
  /** The share of its score that a neighbouring chunk adds. */
  neighbour: 0.05,
  /** The weight of the score of the whole document. */
  document: 4,
};
/** How many of the best chunks by words, and by meaning, are candidates. */
export const CANDIDATES = { lexical: 800, dense: 300 };
/** How many chunks of an included entity are candidates: the best by words and by meaning. */
const ALSO = { lexical: 20, dense: 5 };

/**
 * The candidates: the best chunks by words and the most similar ones. It is synchronous, so that searches can share their
 * working memory.
 */
export function candidatesOf(
  { terms, scope, allowed, vector, also, settled }: CandidatesRequest,
  deps: { readonly mirror: IndexMirror; readonly lexical: Lexical; readonly vectors: VectorMirror },
): Candidates {
  const { mirror, lexical, vectors } = deps;
  const { entityOf, sourceOf } = mirror;
  const rejected = rejectedEntities(terms, mirror);
  const inPhrases = chunksWithPhrases(terms);
  const isWanted = (entity: number) =>
    (allowed === undefined || allowed[entity] === 1) && (rejected === undefined || rejected[entity] === 0);
  const accept = (chunk: number) =>
    scope.sources[sourceOf[chunk]!] === 1 &&
    (isWanted(entityOf[chunk]!) || settled.has(entityOf[chunk]!)) &&
    (inPhrases === undefined || inPhrases.has(chunk));

  lexical.score(terms.sought, terms.rows, scope);
  try {
    const lifted = (chunk: number) =>
      lexical.scoreOf(chunk) === 0 ? 0 : liftedScore(chunk, mirror, lexical);
    const best = new BestHits(CANDIDATES.lexical, isEarlier);
    for (let at = 0; at < lexical.count; at++) {
      const chunk = lexical.chunkAt(at);
      if (accept(chunk)) best.add(chunk, lifted(chunk));
    }
    const hits = best.sorted();
    const chosen = new Map(hits.map(({ item, score }) => [item, score]));
    if (vector)
      for (const chunk of vectors.nearest(vector, mirror.chunkEnd, CANDIDATES.dense, accept))
        if (!chosen.has(chunk)) chosen.set(chunk, lifted(chunk));
    const likeness = vector && vectors.likenessTo(vector);
    for (const no of also) {
      const { firstChunk = 0, chunkCount = 0 } = mirror.entity(no) ?? {};
      const byWords = new BestHits(ALSO.lexical, isEarlier);
      const byMeaning = new BestHits(ALSO.dense, isEarlier);
      for (let chunk = firstChunk; chunk < firstChunk + chunkCount; chunk++) {
        if (!accept(chunk)) continue;
        byWords.add(chunk, lifted(chunk));
        if (likeness && vectors.has(chunk)) byMeaning.add(chunk, likeness(chunk));
      }
      for (const { item } of [...byWords.sorted(), ...byMeaning.sorted()]) chosen.set(item, lifted(item));
    }
    return {
      chunks: [...chosen].map(([chunk, score]) => ({ chunk, entity: entityOf[chunk]!, lexical: score })),
      bestLexical: hits[0]?.score ?? 0,
    };
  } finally {
    lexical.clear();
  }
}

/** Neighbours count, because a text may be cut anywhere. */
function liftedScore(chunk: number, { entityOf }: IndexMirror, lexical: Lexical): number {
  const entity = entityOf[chunk];
  let score = lexical.scoreOf(chunk) + LIFT.document * lexical.entityScoreOf(entity!);
  if (entityOf[chunk - 1] === entity) score += LIFT.neighbour * lexical.scoreOf(chunk - 1);
  if (entityOf[chunk + 1] === entity) score += LIFT.neighbour * lexical.scoreOf(chunk + 1);
  return score;
}

function isEarlier(one: number, other: number): boolean {
  return one < other;
}

/** By entity number: 1 if one of its chunks contains an excluded term; undefined if the query excludes nothing. */
function rejectedEntities({ not, rows }: SoughtTerms, mirror: IndexMirror): Uint8Array | undefined {
  if (not.length === 0) return undefined;
  const { entityOf, entityEnd } = mirror;
  const rejected = new Uint8Array(entityEnd);
  const reject = (chunk: number) => {
    rejected[entityOf[chunk] ?? 0] = 1;
  };
  for (const terms of not) {
    if (terms.length > 1) for (const chunk of chunksWithAll(terms, rows)) reject(chunk);
    else for (const { block, data } of rows.get(terms[0]!) ?? []) visitPostings(block, data, reject);
  }
  return rejected;
}

/** Chunks that have the words of all phrases, in whatever order; undefined: there are no phrases. */
function chunksWithPhrases({ phrases, rows }: SoughtTerms): Set<number> | undefined {
  return phrases.length === 0 ? undefined : chunksWithAll(phrases.flat(), rows);
}

/** Starts with the rarest term, so that the result is small from the beginning. */
export function chunksWithAll(terms: readonly string[], rows: RowsByTerm): Set<number> {
  const byTerm = [...new Set(terms)].map((term) => rows.get(term) ?? []);
  byTerm.sort((one, other) => bytesOf(one) - bytesOf(other));
  let common: Set<number> | undefined;
  for (const own of byTerm) {
    const those = new Set<number>();
    for (const { block, data } of own)
      visitPostings(block, data, (chunk) => {
        if (common === undefined || common.has(chunk)) those.add(chunk);
      });
    common = those;
  }
  return common ?? new Set();
}

function bytesOf(rows: readonly PostingsRow[]): number {
  return rows.reduce((sum, { data }) => sum + data.length, 0);
}
