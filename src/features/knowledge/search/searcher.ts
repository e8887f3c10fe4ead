import { awaitWithin } from "../../../lib/flow/await-within.ts";
import type { Analyser } from "../../../machine/text/analyser.ts";
import { cosine } from "../../../machine/text/meaning/direction.ts";
import type { Vector } from "../../../machine/text/meaning/embedder.ts";
import type { ChunkView, EntityMatch, EntityView, FoundChunk } from "../contract.ts";
import type { IndexReader, NumberedChunk, StoredEntity } from "../index/index-store.ts";
import { documentAnalyser } from "../indexing/document-analyser.ts";
import { allowedEntities } from "./filters.ts";
import { FUSION, fusedChunks, type RankedEntity, rankedEntities, relevantOf } from "./fusion.ts";
import { IndexMirror, type MirroredEntity } from "./index-mirror.ts";
import { Lexical, type Scope } from "./lexical.ts";
import { hasFilters, hasWords, type Query } from "./query.ts";
import type { Meaning } from "./query-meanings.ts";
import { type Candidates, candidatesOf } from "./ranking.ts";
import { type Marked, snippetOf } from "./snippet.ts";
import { readSought, type SoughtTerms } from "./sought.ts";
import { signed, VectorMirror } from "./vector-mirror.ts";
import { type Verified, withPhrases } from "./verified.ts";

/** A request to the search thread. */
export interface FindRequest {
  readonly query: Query;
  /** The names of the sources that the caller may see, by id. */
  readonly sources: ReadonlyMap<string, string>;
  readonly limit: number;
  /** The vector of the query; undefined if there is none. */
  readonly meaning?: Meaning;
  /** For a further page: the remaining entities of an earlier answer, in order, and its revision. */
  readonly rest?: { readonly entities: readonly number[]; readonly revision: number };
  /** Show at most half of the documents there are in these sources. */
  readonly withinHalf?: boolean;
  /** For benchmarks: ranks by vectors alone. */
  readonly byMeaningAlone?: boolean;
}

export interface FoundEntity extends EntityMatch {
  readonly no: number;
  readonly sourceId: string;
  readonly key: string;
}

/** Where a document came from, for rules about files. */
export type ReadFrom = Pick<FoundEntity, "sourceId" | "key" | "uri">;

export interface FindAnswer {
  readonly results: readonly FoundEntity[];
  /** The numbers of the remaining entities. */
  readonly rest: readonly number[];
  /** The revision of the index when they were ranked. */
  readonly revision: number;
  readonly mode: "lexical" | "hybrid";
  readonly notes: readonly string[];
}

/** The number of entities that one search ranks over all its pages. */
export const MAX_RANKED = 200;
/** A query with filters alone gives this many of the newest. */
const MAX_NEWEST = 100;
/** The least number of documents that words may find, even in a small index. */
const LEAST_FOUND = 5;
/** How many chunks of an entity are shown. */
const CHUNKS_SHOWN = 3;
/** How many vectors are compared exactly; further candidates are compared by their codes. */
const MAX_COMPARED = 400;
const MAX_CHUNKS_GIVEN = 200;
const MAX_LOADING_MS = 300;
const CUT_AT_HALF = "More documents match than one search shows. Use words that fewer of them have.";

/**
 * Searches and reads the index. It keeps a part of it in memory, updated before each search. It is slow, so
 * it runs in its own thread.
 */
export class Searcher {
  readonly #reader: IndexReader;
  readonly #mirror: IndexMirror;
  readonly #vectors: VectorMirror;
  readonly #lexical: Lexical;
  /** Caches words, because the same ones come again and again. */
  readonly #analyser = documentAnalyser();

  constructor(reader: IndexReader) {
    this.#reader = reader;
    this.#mirror = new IndexMirror(reader);
    this.#vectors = new VectorMirror(reader);
    this.#lexical = new Lexical(this.#mirror);
  }

  async find(request: FindRequest): Promise<FindAnswer> {
    const { query, rest } = request;
    await this.#mirror.catchUp();
    const names = this.#namesOf(request.sources);
    const scope = this.#scopeOf(names);
    const allowed = allowedEntities(query, this.#mirror, names);
    if (!hasWords(query)) return this.#newest(request, scope, allowed);

    const { revision, chunkEnd } = this.#mirror;
    const terms = await readSought(query, this.#reader, this.#analyser, { chunkEnd });
    const meaning = await this.#usable(request.meaning);
    const vector = meaning?.vector;
    const settled = this.#settled(rest);
    const candidates = candidatesOf(
      { terms, scope, allowed, vector, also: rest?.entities ?? [], settled },
      { mirror: this.#mirror, lexical: this.#lexical, vectors: this.#vectors },
    );
    const likenesses = vector && (await this.#likenesses(vector, candidates));
    const share = request.byMeaningAlone ? 0 : FUSION.lexical;
    const relevant = relevantOf(candidates, likenesses, { floor: meaning?.floor ?? 1, settled });
    const fused = fusedChunks(relevant, likenesses, share);
    const half = request.withinHalf ? Math.max(LEAST_FOUND, Math.ceil(scope.entities / 2)) : MAX_RANKED;
    const all = rankedEntities(fused, rest ? Number.POSITIVE_INFINITY : MAX_RANKED);
    const ranked = rest ? all : all.slice(0, half);
    const notes = [...query.notes, ...terms.notes, ...(ranked.length < all.length ? [CUT_AT_HALF] : [])];
    const inOrder = rest ? leftOf(rest.entities, ranked, settled) : ranked;
    // One more than is shown, to know whether there is a next page.
    const asked = { ranked: inOrder, query, terms, wanted: request.limit + 1 };
    const verified = await withPhrases(asked, { reader: this.#reader, mirror: this.#mirror });
    const page = await this.#page(verified, request, terms);
    const mode = likenesses ? "hybrid" : "lexical";
    return { ...page, revision: rest?.revision ?? revision, mode, notes };
  }

  /** Undefined: there is none in these sources. */
  async entity(
    id: string,
    sources: ReadonlyMap<string, string>,
  ): Promise<(EntityView & ReadFrom) | undefined> {
    const entity = await this.#visible(id, sources);
    if (!entity) return undefined;
    const chunks = await this.#reader.chunksOf(entity, 0, MAX_CHUNKS_GIVEN);
    return {
      ...about(entity, sources),
      chunks: chunks.map((chunk) => chunkView(entity, chunk)),
      truncated: entity.chunkCount > MAX_CHUNKS_GIVEN,
    };
  }

  async chunk(
    entityId: string,
    index: number,
    around: number,
    sources: ReadonlyMap<string, string>,
  ): Promise<{ entity: Omit<EntityView, "chunks"> & ReadFrom; chunks: readonly ChunkView[] } | undefined> {
    const entity = await this.#visible(entityId, sources);
    if (!entity || index >= entity.chunkCount) return undefined;
    const from = Math.max(0, index - around);
    const chunks = await this.#reader.chunksOf(entity, from, index + around + 1 - from);
    return {
      entity: { ...about(entity, sources), truncated: entity.chunkCount > chunks.length },
      chunks: chunks.map((chunk) => chunkView(entity, chunk)),
    };
  }

  /** The counts of each source, by id. */
  async counts(): Promise<ReadonlyMap<string, { entities: number; chunks: number; embedded: number }>> {
    await this.#mirror.catchUp();
    await this.#vectors.catchUp(this.#mirror.model);
    const embedded = new Map<number, number>();
    const { sourceOf, chunkEnd } = this.#mirror;
    for (let chunk = 0; chunk < chunkEnd; chunk++) {
      const source = sourceOf[chunk]!;
      if (source !== 0 && this.#vectors.has(chunk)) embedded.set(source, (embedded.get(source) ?? 0) + 1);
    }
    return new Map(
      [...this.#mirror.sources()].map(([no, id]) => {
        const { entities, chunks } = this.#mirror.counts(no);
        return [id, { entities, chunks, embedded: embedded.get(no) ?? 0 }];
      }),
    );
  }

  #namesOf(sources: ReadonlyMap<string, string>): ReadonlyMap<number, string> {
    const names = new Map<number, string>();
    for (const [no, id] of this.#mirror.sources()) {
      const name = sources.get(id);
      if (name !== undefined) names.set(no, name);
    }
    return names;
  }

  #scopeOf(names: ReadonlyMap<number, string>): Scope {
    const sources = new Uint8Array(Math.max(0, ...this.#mirror.sources().keys()) + 1);
    let [chunks, entities, length] = [0, 0, 0];
    for (const no of names.keys()) {
      const counts = this.#mirror.counts(no);
      sources[no] = 1;
      chunks += counts.chunks;
      entities += counts.entities;
      length += counts.length;
    }
    return { sources, chunks, entities, length };
  }

  /** The vector of a query, if the index has vectors of the same model. */
  async #usable(meaning: Meaning | undefined): Promise<Meaning | undefined> {
    const { model } = this.#mirror;
    if (!meaning || meaning.model !== model) return undefined;
    const loading = this.#vectors.catchUp(model);
    // The first time there may be very many: then it uses words and the vectors read so far.
    await awaitWithin(MAX_LOADING_MS, loading);
    return this.#vectors.count === 0 ? undefined : meaning;
  }

  /** The similarity of all candidates with a vector: exact if all vectors are in memory; otherwise exact for the best, and by codes for the others. */
  async #likenesses(vector: Vector, { chunks, bestLexical }: Candidates): Promise<Map<number, number>> {
    const rough = this.#vectors.likenessTo(vector);
    const known: { readonly chunk: number; readonly likeness: number; readonly worth: number }[] = [];
    for (const { chunk, lexical } of chunks) {
      if (!this.#vectors.has(chunk)) continue;
      const likeness = rough(chunk);
      known.push({ chunk, likeness, worth: likeness + (bestLexical === 0 ? 0 : lexical / bestLexical) });
    }
    known.sort((a, b) => b.worth - a.worth);
    const likenesses = new Map(known.map(({ chunk, likeness }) => [chunk, likeness]));
    if (this.#vectors.isExact) return likenesses;
    const compared = known.slice(0, MAX_COMPARED).map(({ chunk }) => chunk);
    for (const { no, vector: bytes } of await this.#reader.vectors(compared))
      if (bytes.length === vector.length) likenesses.set(no, cosine(vector, signed(bytes)));
    return likenesses;
  }

  /** For filters alone: the newest matches. */
  async #newest(request: FindRequest, scope: Scope, allowed: Uint8Array | undefined): Promise<FindAnswer> {
    const { query, rest } = request;
    const revision = rest?.revision ?? this.#mirror.revision;
    const empty = { results: [], rest: [], revision, mode: "lexical" } as const;
    if (!hasFilters(query) || !allowed)
      return { ...empty, notes: [...query.notes, "The query has no words to look for."] };
    const settled = this.#settled(rest);
    const isShown = (no: number, { sourceNo }: MirroredEntity) =>
      scope.sources[sourceNo] === 1 && (allowed[no] === 1 || settled.has(no));
    const most = request.withinHalf ? Math.min(MAX_NEWEST, Math.floor(scope.entities / 2)) : MAX_NEWEST;
    const passing = [...this.#mirror.entities()]
      .filter(([no, entity]) => isShown(no, entity))
      .sort(([one, a], [other, b]) => b.documentAt - a.documentAt || one - other)
      .map(([no]) => no);
    const isCut = !rest && most < MAX_NEWEST && passing.length > most;
    const kept = (rest?.entities ?? passing.slice(0, most)).flatMap((entity) => {
      const known = this.#mirror.entity(entity);
      if (!known || !isShown(entity, known)) return [];
      return [{ entity, score: 0, chunks: [{ chunk: known.firstChunk, score: 0 }] }];
    });
    const page = await this.#page({ kept, left: [] }, request, undefined);
    const notes = isCut ? [...query.notes, CUT_AT_HALF] : query.notes;
    return { ...page, revision, mode: "lexical", notes };
  }

  /** The entities of an earlier answer that have not changed since. */
  #settled(rest: FindRequest["rest"]): ReadonlySet<number> {
    const { entities = [], revision = 0 } = rest ?? {};
    return new Set(entities.filter((no) => (this.#mirror.entity(no)?.revision ?? revision + 1) <= revision));
  }

  /** The first existing entities as they are shown, and the rest. */
  async #page(
    { kept, left }: Verified,
    { limit, sources }: FindRequest,
    terms: SoughtTerms | undefined,
  ): Promise<Pick<FindAnswer, "results" | "rest">> {
    const marked = markedOf(terms, this.#analyser);
    const shown = kept
      .slice(0, limit)
      .map((entity) => ({ ...entity, chunks: entity.chunks.slice(0, CHUNKS_SHOWN) }));
    const entities = new Map(
      (await this.#reader.entities(shown.map(({ entity }) => entity))).map((entity) => [entity.no, entity]),
    );
    const numbers = shown.flatMap(({ chunks }) => chunks.map(({ chunk }) => chunk));
    const texts = new Map((await this.#reader.chunks(numbers)).map((chunk) => [chunk.no, chunk]));
    const results = shown.flatMap(({ entity: no, score, chunks }) => {
      const entity = entities.get(no);
      if (!entity || !sources.has(entity.sourceId)) return [];
      const found = chunks.flatMap(({ chunk, score }): FoundChunk[] => {
        const text = texts.get(chunk);
        // It was rewritten meanwhile.
        if (!text || text.entityNo !== no) return [];
        return [
          {
            id: `${entity.id}:${text.index}`,
            index: text.index,
            headings: text.headings,
            ...snippetOf(text.text, marked),
            score,
          },
        ];
      });
      const { id, sourceId, key, title, type, uri, tags, documentAt } = entity;
      const source = sources.get(sourceId)!;
      return [{ no, id, sourceId, key, title, type, source, uri, tags, documentAt, score, chunks: found }];
    });
    return { results, rest: [...kept.slice(limit), ...left].map(({ entity }) => entity) };
  }

  async #visible(id: string, sources: ReadonlyMap<string, string>): Promise<StoredEntity | undefined> {
    const entity = await this.#reader.entityById(id);
    return entity && sources.has(entity.sourceId) ? entity : undefined;
  }
}

function markedOf(terms: SoughtTerms | undefined, analyser: Analyser): Marked {
  const { marked = new Set<string>(), markedPrefixes: prefixes = [] } = terms ?? {};
  return {
    isTerm: (word) => analyser.termsOf(word).some((term) => marked.has(term)),
    terms: marked,
    prefixes,
  };
}

/** The rest of an earlier answer in its order: unchanged entities, and changed ones that still have a score. */
function leftOf(
  rest: readonly number[],
  ranked: readonly RankedEntity[],
  settled: ReadonlySet<number>,
): RankedEntity[] {
  const known = new Map(ranked.map((one) => [one.entity, one]));
  return rest.flatMap((no) => {
    const one = known.get(no);
    return one && (one.score > 0 || settled.has(no)) ? [one] : [];
  });
}

function about(
  entity: StoredEntity,
  sources: ReadonlyMap<string, string>,
): Omit<EntityView, "chunks" | "truncated"> & ReadFrom {
  const { id, sourceId, key, title, type, uri, tags, documentAt, indexedAt, metadata } = entity;
  return {
    id,
    sourceId,
    key,
    title,
    type,
    source: sources.get(entity.sourceId)!,
    uri,
    tags,
    documentAt,
    indexedAt,
    metadata,
  };
}

function chunkView({ id }: StoredEntity, chunk: NumberedChunk): ChunkView {
  const { index, headings, text, start, end } = chunk;
  return { id: `${id}:${index}`, index, headings, text, start, end };
}
