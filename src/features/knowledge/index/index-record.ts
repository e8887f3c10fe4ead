/**
 * The index of what was read from sources: entities, their passages (chunks), postings and vectors. It can be made anew from the sources at any
 * time, so it is in no backup. On SQLite it is a file of its own, `knowledge.db`, used only by threads; on PostgreSQL it lies beside the rest.
 */

/** A document as it is kept. */
export interface EntityRecord {
  /** A UUID, for ever that of this key of this source, also after it was gone and came back. */
  readonly id: string;
  /** Its number in the index: short, ascending, never used again. */
  readonly no: number;
  readonly sourceId: string;
  /** Names it within its source for ever: a relative path, an address, a message id. */
  readonly key: string;
  readonly title: string;
  /** `markdown text html pdf docx code csv bookmark email page note` … */
  readonly type: string;
  /** Lower case, each once. */
  readonly tags: readonly string[];
  /** Where a person finds it: a path or an address. */
  readonly uri: string;
  /** What it says of its own time, else that of its file. */
  readonly documentAt: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Of the file it came from. */
  readonly modifiedAt: number;
  readonly size: number;
  /** SHA-256 of what it was read from; `failed: ` and the reason where it could not be, then it has no chunks. */
  readonly hash: string;
  readonly chunkCount: number;
  /** When it came into the index in this state. */
  readonly indexedAt: number;
  /** It is no longer there: since then. */
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

/** What a sync compares a file with. */
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

/** How the index is brought up to date. Only one writes at a time; whoever reads sees whole writes. */
export interface KnowledgeWriter {
  /** What is there of a source, gone ones left out, by key (by the bytes of its UTF-8, as databases compare) after `after`, at most `limit`. */
  known(sourceId: string, after: string | null, limit: number): Promise<KnownEntity[]>;
  /** Adds or replaces, all or nothing; whole when it resolves. An entity whose chunks are the same as before keeps their vectors. */
  write(entities: readonly NewEntity[], at: number): Promise<void>;
  /** The same content with another state of its file. */
  touch(
    sourceId: string,
    states: readonly Pick<EntityRecord, "key" | "modifiedAt" | "size">[],
  ): Promise<void>;
  /** They are gone: nothing of them is found from now on, but their ids are remembered. */
  bury(sourceId: string, keys: readonly string[], at: number): Promise<void>;
  /** Leaves nothing of a source. Long work is done in parts; `progress` after each. */
  forget(sourceId: string, progress?: (left: number) => void): Promise<void>;
}
