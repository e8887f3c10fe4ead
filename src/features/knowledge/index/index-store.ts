import type { ChunkRecord, EntityRecord, KnowledgeWriter, NewEntity } from "./index-record.ts";

/** A chunk with all that it is found by. */
export interface IndexedChunk extends Omit<ChunkRecord, "entityNo" | "index"> {
  /** Of all that its vector is made from. */
  readonly hash: string;
  /** How many terms it has, repeats counted. */
  readonly length: number;
  /** How often it has each and where, see `postings.ts`. */
  readonly postings: ReadonlyMap<string, number>;
}

export interface IndexedEntity extends Omit<NewEntity, "chunks"> {
  readonly chunks: readonly IndexedChunk[];
}

/** A chunk without a vector, and what it is to be made from. */
export interface ChunkToEmbed {
  readonly no: number;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}

export interface ChunkVector {
  readonly no: number;
  readonly vector: Uint8Array;
}

/** How the index is changed; `KnowledgeWriter` says what each does. Every change is all or nothing. */
export interface IndexWriter extends Omit<KnowledgeWriter, "write"> {
  write(entities: readonly IndexedEntity[], at: number): Promise<void>;
  /** Chunks without a vector of a model, by number after `after`. */
  withoutVector(model: string, after: number, limit: number): Promise<ChunkToEmbed[]>;
  /** What `model` made. Vectors of another model are dropped first; those of chunks that are gone meanwhile are left out. */
  putVectors(model: string, vectors: readonly ChunkVector[]): Promise<void>;
  /** One step of taking out the postings of chunks that are gone, once they are more than a quarter. A search finds the same before and after. */
  sweep(limits?: SweepLimits): Promise<SweepStep>;
}

export interface SweepLimits {
  /** With fewer dead chunks there is nothing to do. */
  readonly leastDead: number;
  /** Of postings, looked at in one step. */
  readonly rows: number;
}

/**
 * `nothing`: too few are dead. `begun`: it is known which are, and nothing has changed yet. `swept`: some rows are done, others are left.
 * `ended`: all are done.
 */
export type SweepStep = "nothing" | "begun" | "swept" | "ended";

/** An entity as far as a search has to know it. */
export interface EntityChange extends ChangePlace {
  readonly sourceNo: number;
  readonly type: string;
  readonly tags: readonly string[];
  readonly documentAt: number;
  readonly firstChunk: number;
  readonly chunkCount: number;
  /** How many terms each chunk has, 16 bits each, little end first. */
  readonly lengths: Uint8Array;
}

export interface IndexState {
  readonly revision: number;
  readonly model: string | null;
}

/** How the index is read. Each question sees whole writes; two questions may see different ones. */
export interface IndexReader {
  state(): Promise<IndexState>;
  /** Sources of which something may be shown, by their number. */
  sources(): Promise<ReadonlyMap<number, string>>;
  /** What changed after a place in the order of changes, in that order. Gone ones have no chunks; those of forgotten sources do not come. */
  changedEntities(after: ChangePlace, limit: number): Promise<EntityChange[]>;
  changedVectors(after: ChangePlace, limit: number): Promise<(ChunkVector & ChangePlace)[]>;
  postings(terms: readonly string[]): Promise<PostingsRow[]>;
  /** How many bytes the postings of each of these are, where there are some; reads none of them. */
  postingsSizes(terms: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Terms that begin with a text, by term, at most `limit`. */
  termsFrom(prefix: string, limit: number): Promise<string[]>;
  vectors(chunkNos: readonly number[]): Promise<ChunkVector[]>;
  /** Only those that are there, in no order. */
  entities(nos: readonly number[]): Promise<StoredEntity[]>;
  entityById(id: string): Promise<StoredEntity | undefined>;
  chunks(nos: readonly number[]): Promise<NumberedChunk[]>;
  /** Those of an entity, by index from `from` on. */
  chunksOf(
    entity: Pick<StoredEntity, "firstChunk" | "chunkCount">,
    from: number,
    limit: number,
  ): Promise<NumberedChunk[]>;
}

/** In the order of changes; the number tells those of one change apart. */
export interface ChangePlace {
  readonly revision: number;
  readonly no: number;
}

export interface StoredEntity extends EntityRecord {
  /** The number of its first chunk; the others follow. */
  readonly firstChunk: number;
}

export interface NumberedChunk extends ChunkRecord {
  readonly no: number;
}

export interface PostingsRow {
  readonly term: string;
  readonly block: number;
  readonly data: Uint8Array;
}
