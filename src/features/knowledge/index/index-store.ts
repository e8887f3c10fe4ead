import type { ChunkRecord, EntityRecord, KnowledgeWriter, NewEntity } from "./index-record.ts";

/** A chunk with its terms. */
export interface IndexedChunk extends Omit<ChunkRecord, "entityNo" | "index"> {
  /** The hash of the text that is embedded. */
  readonly hash: string;
  /** The number of its terms, including repeats. */
  readonly length: number;
  /** How often it has each term and where, see `postings.ts`. */
  readonly postings: ReadonlyMap<string, number>;
}

export interface IndexedEntity extends Omit<NewEntity, "chunks"> {
  readonly chunks: readonly IndexedChunk[];
}

/** A chunk without a vector, and the text to embed. */
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

/** Changes the index, see `KnowledgeWriter`. Every change is all or nothing. */
export interface IndexWriter extends Omit<KnowledgeWriter, "write"> {
  write(entities: readonly IndexedEntity[], at: number): Promise<void>;
  /** Chunks without a vector of a model, by number after `after`. */
  withoutVector(model: string, after: number, limit: number): Promise<ChunkToEmbed[]>;
  /** Writes vectors of `model`. Vectors of another model are deleted first; vectors of deleted chunks are left out. */
  putVectors(model: string, vectors: readonly ChunkVector[]): Promise<void>;
  /** One step of removing the postings of deleted chunks, once these are more than a quarter. It does not change search results. */
  sweep(limits?: SweepLimits): Promise<SweepStep>;
}

export interface SweepLimits {
  /** Nothing is done if there are fewer dead chunks. */
  readonly leastDead: number;
  /** How many rows of postings one step reads. */
  readonly rows: number;
}

/**
 * `nothing`: there are too few dead chunks. `begun`: the dead chunks are known and nothing has changed yet. `swept`: some rows
 * are done. `ended`: all rows are done.
 */
export type SweepStep = "nothing" | "begun" | "swept" | "ended";

/** The facts about an entity that a search needs. */
export interface EntityChange extends ChangePlace {
  readonly sourceNo: number;
  readonly type: string;
  readonly tags: readonly string[];
  readonly documentAt: number;
  readonly firstChunk: number;
  readonly chunkCount: number;
  /** The number of terms of each chunk, 16 bits each, little-endian. */
  readonly lengths: Uint8Array;
}

export interface IndexState {
  readonly revision: number;
  readonly model: string | null;
}

/** Reads the index. Each query sees only complete writes; two queries may see different states. */
export interface IndexReader {
  state(): Promise<IndexState>;
  /** Sources that are not being deleted, by number. */
  sources(): Promise<ReadonlyMap<number, string>>;
  /** Changes after a position, in order. Deleted entities have no chunks; entities of deleted sources are left out. */
  changedEntities(after: ChangePlace, limit: number): Promise<EntityChange[]>;
  changedVectors(after: ChangePlace, limit: number): Promise<(ChunkVector & ChangePlace)[]>;
  postings(terms: readonly string[]): Promise<PostingsRow[]>;
  /** The size of the postings of each term in bytes, without reading them; terms without postings are missing. */
  postingsSizes(terms: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Terms that begin with a text, by term, at most `limit`. */
  termsFrom(prefix: string, limit: number): Promise<string[]>;
  vectors(chunkNos: readonly number[]): Promise<ChunkVector[]>;
  /** Only existing ones, in no order. */
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

/** A position in the order of changes; the number distinguishes entities of one change. */
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
