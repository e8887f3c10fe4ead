import type { Database } from "../../../machine/db/database.ts";

/**
 * The tables of the index, see `index-record.ts`. They are in no backup, so the store does not know them. Column names are camel case here
 * and snake case in the database.
 */
export interface KnowledgeSchema {
  knowledgeMigrations: { version: number; name: string; appliedAt: number };
  /** One row. Whoever writes raises `revision` first, so that writers wait for one another and every change has a number of its own. */
  knowledgeState: {
    id: number;
    revision: number;
    nextSource: number;
    nextEntity: number;
    nextChunk: number;
    /** What made the vectors; null: there are none. */
    model: string | null;
    /** Chunks that were deleted, ever. */
    goneChunks: number;
    /** Those of them of which no posting is left. */
    sweptChunks: number;
  };
  knowledgeSources: {
    no: number;
    sourceId: string;
    /** Nothing of it is shown any more; what is left of it is being deleted. */
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
    /** Its chunks have the numbers from here on, without a gap. */
    firstChunk: number;
    chunkCount: number;
    /** How many terms each of them has, 16 bits each. */
    lengths: Uint8Array;
    indexedAt: number;
    goneAt: number | null;
    /** When it changed last, for whoever follows. */
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
    /** Of all that its vector is made from. */
    hash: string;
  };
  /** See `postings.ts`. Chunks that are gone stay in them until they are swept. */
  knowledgePostings: { term: string; block: number; data: Uint8Array };
  /** One row while postings are swept, see `sweep.ts`. */
  knowledgeSweeps: {
    /** Chunks from this number on are not looked at. */
    chunkEnd: number;
    /** How many of those before were dead when it began. */
    gone: number;
    /** The last row that was looked at. */
    term: string;
    block: number;
  };
  knowledgeVectors: { chunkNo: number; vector: Uint8Array; revision: number };
}

export type IndexDatabase = Database<KnowledgeSchema>;
