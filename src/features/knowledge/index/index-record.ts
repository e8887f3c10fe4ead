/**
 * The index of the documents of sources: entities, their passages (chunks), postings and vectors. It can be rebuilt from the
 * sources, so it is in no backup. On SQLite it is a separate file, `knowledge.db`, which only threads use; on PostgreSQL
 * its tables are beside those of the store.
 */

/** A document in the index. */
export interface EntityRecord {
  /** A UUID that stays the same for this source and key, also if the document disappears and comes back. */
  readonly id: string;
  /** Its number in the index: ascending and never reused. */
  readonly no: number;
  readonly sourceId: string;
  /** Identifies it within its source: a relative path, an address, a message id. */
  readonly key: string;
  readonly title: string;
  /** `markdown text html pdf docx code csv bookmark email page note` … */
  readonly type: string;
  /** Lower case, each once. */
  readonly tags: readonly string[];
  /** Where a person finds it: a path or an address. */
  readonly uri: string;
  /** The time that the document states, otherwise that of its file. */
  readonly documentAt: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The time of its file. */
  readonly modifiedAt: number;
  readonly size: number;
  /** SHA-256 of the content; `failed: ` and the reason if it could not be read, and then it has no chunks. */
  readonly hash: string;
  readonly chunkCount: number;
  /** When this state was written to the index. */
  readonly indexedAt: number;
  /** When it disappeared; null: it exists. */
  readonly goneAt: number | null;
}

export interface ChunkRecord {
  readonly entityNo: number;
  /** From 0; a chunk's id is `<entity id>:<index>`. */
  readonly index: number;
  readonly text: string;
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The facts that a sync compares with a file. */
export type KnownEntity = Pick<EntityRecord, "key" | "modifiedAt" | "size" | "hash">;

/** An entity to be written, with its chunks in order. */
export interface NewEntity
  extends Pick<
    EntityRecord,
    | "sourceId"
    | "key"
    | "title"
    | "type"
    | "tags"
    | "uri"
    | "documentAt"
    | "metadata"
    | "modifiedAt"
    | "size"
    | "hash"
  > {
  readonly chunks: readonly Omit<ChunkRecord, "entityNo" | "index">[];
}

/** Updates the index. There is one writer at a time; readers see only complete writes. */
export interface KnowledgeWriter {
  /** The existing entities of a source, ordered by the UTF-8 bytes of their keys, after `after`, at most `limit`. */
  known(sourceId: string, after: string | null, limit: number): Promise<KnownEntity[]>;
  /** Adds or replaces entities, all or nothing. Unchanged chunks keep their vectors. */
  write(entities: readonly NewEntity[], at: number): Promise<void>;
  /** Updates the state of files whose content did not change. */
  touch(
    sourceId: string,
    states: readonly Pick<EntityRecord, "key" | "modifiedAt" | "size">[],
  ): Promise<void>;
  /** Marks entities as gone. They are not found any more, but keep their ids. */
  bury(sourceId: string, keys: readonly string[], at: number): Promise<void>;
  /** Deletes everything of a source, in parts; calls `progress` after each. */
  forget(sourceId: string, progress?: (left: number) => void): Promise<void>;
}
