import type { IndexReader, NumberedChunk } from "../index/index-store.ts";
import type { RankedEntity, ScoredChunk } from "./fusion.ts";
import type { IndexMirror } from "./index-mirror.ts";
import { hasPhrase } from "./phrases.ts";
import type { Query } from "./query.ts";
import { chunksWithAll } from "./ranking.ts";
import type { SoughtTerms } from "./sought.ts";

/** How many passages one page may read to check phrases; the next page continues there. */
const MAX_READ = 2_000;
/** How many passages of one entity are read: the first with all words of the phrase. */
const MAX_READ_OF_ONE = 2_000;
const READ_FIRST = 20;
const ENTITIES_AT_ONCE = 25;

/** The entities that have the phrases, best first, and those not checked yet. */
export interface Verified {
  readonly kept: readonly RankedEntity[];
  readonly left: readonly RankedEntity[];
}

export interface VerifiedRequest {
  readonly ranked: readonly RankedEntity[];
  readonly query: Query;
  readonly terms: SoughtTerms;
  /** The number of entities that fill the page. */
  readonly wanted: number;
}

/**
 * The entities with a chunk that has the phrases of the query and without excluded phrases. The index does not know the order
 * of words, so the texts are read, best first, until there are enough. The result depends only on the text of an entity, so
 * an unchanged entity gets the same result on every page.
 */
export async function withPhrases(
  { ranked, query, terms, wanted }: VerifiedRequest,
  { reader, mirror }: { readonly reader: IndexReader; readonly mirror: IndexMirror },
): Promise<Verified> {
  if (query.phrases.length === 0 && query.not.phrases.length === 0) return { kept: ranked, left: [] };
  const words = terms.phrases.flat();
  const asked = words.length === 0 ? undefined : byEntity([words], terms, mirror);
  const suspect = byEntity(terms.notPhrases, terms, mirror);
  const texts = new Texts(reader);
  const kept: RankedEntity[] = [];
  let from = 0;
  while (from < ranked.length && kept.length < wanted && (from === 0 || texts.count < MAX_READ)) {
    const some = ranked.slice(from, from + ENTITIES_AT_ONCE).map((entity) => ({
      entity,
      chunks: inOrder(entity, asked ? (asked.get(entity.entity) ?? []) : allOf(entity.entity, mirror)),
      suspects: suspect.get(entity.entity) ?? [],
    }));
    await texts.read(
      some.flatMap(({ chunks, suspects }) => [
        ...(query.phrases.length > 0 ? chunks.slice(0, READ_FIRST).map(({ chunk }) => chunk) : []),
        ...suspects.slice(0, READ_FIRST),
      ]),
    );
    for (const { entity, chunks, suspects } of some) {
      if (await texts.some(suspects, (text) => hasAny(text, query.not.phrases))) continue;
      const nos = chunks.map(({ chunk }) => chunk);
      if (query.phrases.length === 0) kept.push(entity);
      else if (await texts.some(nos, (text) => hasAll(text, query.phrases))) {
        const having = chunks.filter(({ chunk }) => hasAll(texts.get(chunk), query.phrases));
        kept.push({ ...entity, chunks: having });
      }
    }
    from += some.length;
  }
  return { kept, left: ranked.slice(from) };
}

/** Reads each passage only once. */
class Texts {
  readonly #reader: IndexReader;
  readonly #known = new Map<number, NumberedChunk | undefined>();

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  get count(): number {
    return this.#known.size;
  }

  get(no: number): NumberedChunk | undefined {
    return this.#known.get(no);
  }

  async read(nos: readonly number[]): Promise<void> {
    const unknown = [...new Set(nos)].filter((no) => !this.#known.has(no));
    for (const no of unknown) this.#known.set(no, undefined);
    for (const chunk of await this.#reader.chunks(unknown)) this.#known.set(chunk.no, chunk);
  }

  /** Whether any passage passes `test`; reads as few as possible, in growing steps. */
  async some(nos: readonly number[], test: (chunk: NumberedChunk) => boolean): Promise<boolean> {
    for (let from = 0, step = READ_FIRST; from < nos.length; from += step, step *= 4) {
      const those = nos.slice(from, from + step);
      await this.read(those);
      if (those.some((no) => this.#known.get(no) && test(this.#known.get(no)!))) return true;
    }
    return false;
  }
}

/** The first chunks with all words of one of these lines, by entity. */
function byEntity(
  lines: readonly (readonly string[])[],
  { rows }: SoughtTerms,
  { entityOf }: IndexMirror,
): Map<number, number[]> {
  const found = new Map<number, Set<number>>();
  for (const terms of lines)
    for (const chunk of chunksWithAll(terms, rows)) {
      const entity = entityOf[chunk] ?? 0;
      const those = found.get(entity);
      if (those) those.add(chunk);
      else found.set(entity, new Set([chunk]));
    }
  return new Map(
    [...found].map(([entity, those]) => [
      entity,
      [...those].sort((one, other) => one - other).slice(0, MAX_READ_OF_ONE),
    ]),
  );
}

/** For phrases of which no word is in the index. */
function allOf(entity: number, mirror: IndexMirror): number[] {
  const { firstChunk = 0, chunkCount = 0 } = mirror.entity(entity) ?? {};
  return Array.from({ length: Math.min(chunkCount, MAX_READ_OF_ONE) }, (_, at) => firstChunk + at);
}

/** Those with a score first. */
function inOrder({ chunks }: RankedEntity, those: readonly number[]): readonly ScoredChunk[] {
  const left = new Set(those);
  const scored = chunks.filter(({ chunk }) => left.delete(chunk));
  return [...scored, ...[...left].map((chunk) => ({ chunk, score: 0 }))];
}

function hasAll(chunk: NumberedChunk | undefined, phrases: readonly string[]): boolean {
  return phrases.every((phrase) => hasAny(chunk, [phrase]));
}

function hasAny(chunk: NumberedChunk | undefined, phrases: readonly string[]): boolean {
  if (!chunk) return false;
  return phrases.some((phrase) => hasPhrase([chunk.text, ...chunk.headings], phrase));
}
