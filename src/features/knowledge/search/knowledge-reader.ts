import { canSee } from "../access.ts";
import type { FoundMemory, SearchPage, SearchResult, SourceRecord } from "../contract.ts";
import type { Access, KnowledgeReader, MemorySearch, SearchRequest } from "../knowledge.ts";
import { documentFile } from "../sources/document-file.ts";
import { memoryHash, type Rest, readCursor, writeCursor } from "./cursor.ts";
import { parseQuery, type Query } from "./query.ts";
import type { QueryMeanings } from "./query-meanings.ts";
import { type FindAnswer, type FoundEntity, MAX_RANKED, type ReadFrom, type Searcher } from "./searcher.ts";

export interface KnowledgeReaderDeps {
  /** Runs in a thread or not. */
  readonly searcher: Pick<Searcher, "find" | "entity" | "chunk">;
  readonly sources: () => Promise<readonly SourceRecord[]>;
  readonly meanings: Pick<QueryMeanings, "ofQuery">;
  /** Absent: there is no memory to search. */
  readonly memory?: MemorySearch;
}

const MAX_LIMIT = 100;
const MAX_AROUND = 20;
const MAX_MEMORIES = 50;
/** How many memories are searched for those that an earlier page left, even if new ones were added since. */
const MAX_LOOKED_AT = 5_000;
const CHUNK_ID = /^(.+):(\d{1,9})$/;

/** Searches and reads for tools, the API and the command line. Decides what a caller may see before anything is read. */
export function knowledgeReader({
  searcher,
  sources,
  meanings,
  memory,
}: KnowledgeReaderDeps): KnowledgeReader {
  const shownTo = async (access: Access) => (await sources()).filter(({ label }) => canSee(access, label));

  return {
    async search(request, signal) {
      const limit = Math.max(1, Math.min(MAX_LIMIT, Math.trunc(request.limit)));
      const shown = await shownTo(request.access);
      const names = namesOf(shown);
      const query = withSource(parseQuery(request.query), request.source, shown);
      const asked = askedOf(request);
      const rest = request.cursor === undefined ? undefined : readCursor(request.cursor, asked);
      const types = request.types ?? ["entity"];
      const [entities, memories] = await Promise.all([
        types.includes("entity") ? findEntities(query, limit, rest) : NOTHING,
        types.includes("memory") ? findMemories(request, query, rest) : [],
      ]);
      signal?.throwIfAborted();
      const isFileShown = filesShown(shown, request.access);
      return pageOf({ entities, memories, limit, rest, asked, isFileShown });

      async function findEntities(query: Query, limit: number, rest: Rest | undefined) {
        if (rest && rest.entities.length === 0) return NOTHING;
        const meaning = await meanings.ofQuery(query);
        return searcher.find({
          ...{ query, sources: names, limit },
          ...(meaning && { meaning }),
          ...(rest && { rest }),
          ...(request.withinHalf && { withinHalf: true }),
        });
      }
    },

    async entity(id, access) {
      const shown = await shownTo(access);
      const entity = await searcher.entity(id, namesOf(shown));
      return entity && filesShown(shown, access)(entity) ? withoutOrigin(entity) : undefined;
    },

    async chunk(id, around, access) {
      const [, entityId, index] = CHUNK_ID.exec(id) ?? [];
      if (entityId === undefined) return undefined;
      const neighbours = Math.max(0, Math.min(MAX_AROUND, Math.trunc(around)));
      const shown = await shownTo(access);
      const found = await searcher.chunk(entityId, Number(index), neighbours, namesOf(shown));
      if (!found || !filesShown(shown, access)(found.entity)) return undefined;
      return { ...found, entity: withoutOrigin(found.entity) };
    },
  };

  async function findMemories(
    { access, memoryOwners = [] }: SearchRequest,
    query: Query,
    rest: Rest | undefined,
  ): Promise<readonly FoundMemory[]> {
    if (!memory) return [];
    const found = await memory.findMemories({
      ...{ owners: memoryOwners, access, query },
      limit: rest ? MAX_LOOKED_AT : MAX_MEMORIES,
    });
    const left = rest && new Set(rest.memories);
    return left ? found.filter(({ id }) => left.has(memoryHash(id))) : found;
  }
}

const NOTHING: FindAnswer = { results: [], rest: [], revision: 0, mode: "lexical", notes: [] };

function namesOf(sources: readonly SourceRecord[]): ReadonlyMap<string, string> {
  return new Map(sources.map(({ id, name }) => [id, name]));
}

/** Adds the separate filter to the query, and replaces kinds by the names of their sources. */
function withSource(query: Query, source: string | undefined, shown: readonly SourceRecord[]): Query {
  const asked = source === undefined ? query.sources : [source.toLowerCase()];
  const unknown = asked.filter((word) => namesMeant(word, shown).length === 0);
  const notes = unknown.map((word) => `There is no source ${JSON.stringify(word)}.`);
  return {
    ...query,
    // Unknown names stay, so that they find nothing, not everything.
    sources: [...asked.flatMap((word) => namesMeant(word, shown)), ...unknown],
    notSources: query.notSources.flatMap((word) => namesMeant(word, shown)),
    notes: [...query.notes, ...notes],
  };
}

/** The source with this name; if there is none, all sources of this kind. Lower case. */
function namesMeant(word: string, shown: readonly SourceRecord[]): readonly string[] {
  const called = shown.filter(({ name }) => name.toLowerCase() === word);
  const meant = called.length > 0 ? called : shown.filter(({ kind }) => kind.toLowerCase() === word);
  return meant.map(({ name }) => name.toLowerCase());
}

/** Everything that a ranking depends on. */
function askedOf({ query, source, types, memoryOwners, access }: SearchRequest): string {
  return JSON.stringify([query, source, types, memoryOwners, access.labels]);
}

interface Parts {
  readonly entities: FindAnswer;
  readonly memories: readonly FoundMemory[];
  readonly limit: number;
  readonly rest: Rest | undefined;
  readonly asked: string;
  readonly isFileShown: (entity: ReadFrom) => boolean;
}

/** Merges entities and memories by score, as many as fit; the rest comes with the next page. */
function pageOf({ entities, memories, limit, rest, asked, isFileShown }: Parts): SearchPage {
  const isLeftOut = new Map(entities.results.map((found) => [found.id, !isFileShown(found)]));
  const both: readonly SearchResult[] = [
    ...entities.results.map((found): SearchResult => ({ kind: "entity", ...withoutNo(found) })),
    ...memories,
  ].sort((a, b) => b.score - a.score);
  const page = both.slice(0, limit);
  const results = page.filter(({ id }) => isLeftOut.get(id) !== true);
  const shown = new Set(page.map(({ id }) => id));
  const left = {
    entities: [
      ...entities.results.filter(({ id }) => !shown.has(id)).map(({ no }) => no),
      ...entities.rest,
    ].slice(0, MAX_RANKED),
    revision: rest?.revision ?? entities.revision,
    memories: memories.filter(({ id }) => !shown.has(id)).map(({ id }) => memoryHash(id)),
  };
  const hasMore = left.entities.length > 0 || left.memories.length > 0;
  return {
    results,
    ...(hasMore && { nextCursor: writeCursor(left, asked) }),
    mode: entities.mode,
    notes: entities.notes,
    ...(results.length < page.length && { leftOut: page.length - results.length }),
  };
}

/** Whether rules show the file that a document of these sources was read from. */
function filesShown(
  sources: readonly SourceRecord[],
  { isFileShown }: Access,
): (entity: ReadFrom) => boolean {
  if (!isFileShown) return () => true;
  const byId = new Map(sources.map((source) => [source.id, source]));
  return (entity) => {
    const source = byId.get(entity.sourceId);
    const file = source && documentFile(source, entity);
    return !file || isFileShown(file);
  };
}

function withoutNo({ no: _no, ...rest }: FoundEntity) {
  return withoutOrigin(rest);
}

function withoutOrigin<T extends ReadFrom>({
  sourceId: _source,
  key: _key,
  ...rest
}: T): Omit<T, "sourceId" | "key"> {
  return rest;
}
