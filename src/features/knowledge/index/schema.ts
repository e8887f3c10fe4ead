import type { Database } from "../../../machine/db/database.ts";

/**
 * The tables of the index, see `index-record.ts`. They are in no backup, so the store does not know them. Column names are camel case here
 * and snake case in the database.
 */
export interface KnowledgeSchema {
  knowledgeMigrations: { version: number; name: string; appliedAt: number };
  /** One row. A writer raises `revision` first, so that writers wait for each other and every change has its own number. */
  knowledgeState: {
    id: number;
    revision: number;
    nextSource: number;
    nextEntity: number;
    nextChunk: number;
    /** The model of the vectors; null: there are none. */
    model: string | null;
    /** How many chunks were ever deleted. */
    goneChunks: number;
    /** How many of them have no postings left. */
    sweptChunks: number;
  };
  knowledgeSources: {
    no: number;
    sourceId: string;
    /** 1 while it is being deleted; nothing of it is shown. */
    forgotten: number;
  };
  knowledgeEntities: {
    no: number;
    id: string;
    sourceNo: number;
    key: string;
    title: string;
    type: string;
    tags: string;
    uri: string;
    documentAt: number;
    metadata: string;
    modifiedAt: number;
    size: number;
    hash: string;
    /** The number of its first chunk; the others follow without a gap. */
    firstChunk: number;
    chunkCount: number;
    /** The number of terms of each chunk, 16 bits each. */
    lengths: Uint8Array;
    indexedAt: number;
    goneAt: number | null;
    /** The number of its last change, for readers that follow. */
    revision: number;
  };
  knowledgeChunks: {
    no: number;
    entityNo: number;
    position: number;
    text: string;
    headings: string;
    startAt: number;
    endAt: number;
    /** The hash of the text that is embedded. */
    hash: string;
  };
  /** See `postings.ts`. They contain deleted chunks until these are swept. */
  knowledgePostings: { term: string; block: number; data: Uint8Array };
  /** One row while postings are swept, see `sweep.ts`. */
  knowledgeSweeps: {
    /** The sweep ignores chunks from this number on. */
    chunkEnd: number;
    /** How many chunks before it were dead when the sweep began. */
    gone: number;
    /** The last row that was processed. */
    term: string;
    block: number;
  };
  knowledgeVectors: { chunkNo: number; vector: Uint8Array; revision: number };
}

export type IndexDatabase = Database<KnowledgeSchema>;
