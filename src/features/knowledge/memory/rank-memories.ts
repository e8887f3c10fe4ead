import { TextIndex } from "../../../machine/text/index/text-index.ts";
import type { Vector } from "../../../machine/text/meaning/embedder.ts";
import type { MemoryRecord } from "./contract.ts";
import type { Chosen, MemoryHit, MemoryIndex } from "./memory-indexes.ts";

/** A memory of one owner that may answer a query. */
export interface Candidate {
  readonly memory: MemoryRecord;
  /** Comparable within one owner; 0: it has no word of the query. */
  readonly words: number;
  /** The cosine; undefined if it is not known. */
  readonly meaning: number | undefined;
}

/** The weights of words and meaning if both are known. */
const WORDS = 0.6;
const MEANING = 0.4;
/** Texts with a lower cosine are about different things. */
const LEAST_MEANING = 0.35;
/** The least number of candidates by words and by meaning. */
const POOL = 50;

/** The memories of an index that may answer a query; without `vector` by words alone. */
export function candidatesIn(
  index: MemoryIndex,
  query: string,
  vector: Vector | undefined,
  { limit, accept, known }: Chosen,
): Candidate[] {
  const chosen = { limit: Math.max(limit, POOL), ...(accept && { accept }), ...(known && { known }) };
  const byWords = index.search(query, chosen);
  if (!vector) return byWords.map(({ memory, score }) => ({ memory, words: score, meaning: undefined }));
  const nearness = index.nearness(vector);
  const found = new Set(byWords.map(({ memory }) => memory.id));
  const near = index
    .nearest(vector, chosen)
    .filter(({ memory, score }) => score >= LEAST_MEANING && !found.has(memory.id));
  return [
    ...byWords.map(({ memory, score }) => ({ memory, words: score, meaning: nearness(memory.id) })),
    ...near.map(({ memory, score }) => ({ memory, words: 0, meaning: score })),
  ];
}

/** Best first, each with a score from 0 to 1. */
export function rankCandidates(
  byOwner: readonly (readonly Candidate[])[],
  query: string,
  limit: number,
): MemoryHit[] {
  const owners = byOwner.filter((candidates) => candidates.length > 0);
  const all = owners.length > 1 ? wordsTogether(owners.flat(), query) : owners.flat();
  const most = Math.max(0, ...all.map(({ words }) => words));
  return all
    .map((candidate) => ({ memory: candidate.memory, score: scoreOf(candidate, most) }))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
    .slice(0, limit);
}

function scoreOf({ words, meaning }: Candidate, most: number): number {
  const byWords = most === 0 ? 0 : words / most;
  return meaning === undefined ? byWords : WORDS * byWords + MEANING * Math.max(0, meaning);
}

/** Word scores depend on the owner, so the candidates of several owners are scored again together. */
function wordsTogether(candidates: readonly Candidate[], query: string): Candidate[] {
  const together = new TextIndex();
  for (const { memory } of candidates)
    together.put(memory.id, `${memory.text} ${memory.tags.join(" ")} ${memory.key ?? ""}`);
  const scores = new Map(
    together.search(query, { limit: candidates.length }).map(({ id, score }) => [id, score]),
  );
  return candidates.map((candidate) => ({ ...candidate, words: scores.get(candidate.memory.id) ?? 0 }));
}
