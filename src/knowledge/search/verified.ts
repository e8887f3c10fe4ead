import type { IndexReader, NumberedChunk } from "../../store/knowledge/index-store.ts";
import type { RankedEntity } from "./fusion.ts";
import type { IndexMirror } from "./index-mirror.ts";
import { hasPhrase } from "./phrases.ts";
import type { Query } from "./query.ts";
import { chunksWithAll } from "./ranking.ts";
import type { SoughtTerms } from "./sought.ts";

/** So many passages are read to see whether a phrase stands in them, of one entity and of all. */
const MAX_READ = 2_000;
const MAX_READ_OF_ONE = 20;
const ENTITIES_AT_ONCE = 25;

/**
 * Those of which a chunk really has the phrases of the query, and none has one that it does not want. The index knows which words a
 * chunk has, not in which order: so the text is read, of the best first.
 */
export async function withPhrases(
  ranked: readonly RankedEntity[],
  query: Query,
  terms: SoughtTerms,
  deps: { readonly reader: IndexReader; readonly mirror: IndexMirror; readonly notes: string[] },
): Promise<readonly RankedEntity[]> {
  if (query.phrases.length === 0 && query.not.phrases.length === 0) return ranked;
  const suspect = suspectChunks(terms, deps.mirror);
  const kept: RankedEntity[] = [];
  let read = 0;
  for (let from = 0; from < ranked.length; from += ENTITIES_AT_ONCE) {
    if (read >= MAX_READ) {
      deps.notes.push("Only the best passages were looked through for the phrase.");
      break;
    }
    const some = ranked.slice(from, from + ENTITIES_AT_ONCE);
    const numbers = new Set<number>();
    for (const { entity, chunks } of some) {
      if (query.phrases.length > 0)
        for (const { chunk } of chunks.slice(0, MAX_READ_OF_ONE)) numbers.add(chunk);
      for (const chunk of suspect.get(entity) ?? []) numbers.add(chunk);
    }
    const texts = new Map((await deps.reader.chunks([...numbers])).map((chunk) => [chunk.no, chunk]));
    read += numbers.size;
    for (const entity of some) {
      const isUnwanted = (suspect.get(entity.entity) ?? []).some((no) =>
        hasAny(texts.get(no), query.not.phrases),
      );
      const chunks = entity.chunks.filter(({ chunk }) => hasAll(texts.get(chunk), query.phrases));
      if (!isUnwanted && chunks.length > 0) kept.push({ ...entity, chunks });
    }
  }
  return kept;
}

/** Chunks that have all words of a phrase that is not wanted, by entity. */
function suspectChunks({ notPhrases, rows }: SoughtTerms, { entityOf }: IndexMirror): Map<number, number[]> {
  const suspect = new Map<number, number[]>();
  for (const terms of notPhrases)
    for (const chunk of chunksWithAll(terms, rows)) {
      const entity = entityOf[chunk] ?? 0;
      const known = suspect.get(entity) ?? [];
      if (known.length < MAX_READ_OF_ONE) suspect.set(entity, [...known, chunk]);
    }
  return suspect;
}

function hasAll(chunk: NumberedChunk | undefined, phrases: readonly string[]): boolean {
  return phrases.every((phrase) => hasAny(chunk, [phrase]));
}

function hasAny(chunk: NumberedChunk | undefined, phrases: readonly string[]): boolean {
  if (!chunk) return false;
  return phrases.some((phrase) => hasPhrase([chunk.text, ...chunk.headings], phrase));
}
