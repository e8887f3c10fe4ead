import type { SourceRecord } from "../../machine/db/tables/knowledge/source-record.ts";
import type { Query } from "./search/query.ts";
import type { DocumentFile } from "./sources/document-file.ts";

/** What a caller may see of knowledge: everything unlabelled, and what bears one of these labels; null: all. */
export interface Access {
  readonly labels: readonly string[] | null;
  /** Whether rules let it see what was read from a file; absent: there are none for it. */
  readonly isFileShown?: (file: DocumentFile) => boolean;
}

export interface SearchRequest {
  /** Words, "phrases", begin*, -not, source: tag: type: before: after:. */
  readonly query: string;
  /** At most 100. */
  readonly limit: number;
  readonly source?: string;
  /** Of an earlier page of the same query. */
  readonly cursor?: string;
  /** Absent: entities alone. */
  readonly types?: readonly ("entity" | "memory")[];
  readonly access: Access;
  /** Whose memories take part, where they are asked for: the caller's own, and shared spaces that it may read. */
  readonly memoryOwners?: readonly string[];
  /** Show at most half of the documents that the caller may see, so that no query lists a small index. */
  readonly withinHalf?: boolean;
}

/** Where words of the query stand in a snippet, in UTF-16 units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

export interface FoundChunk {
  /** `<entity id>:<index>`. */
  readonly id: string;
  readonly index: number;
  readonly headings: readonly string[];
  readonly snippet: string;
  readonly marks: readonly Mark[];
  readonly score: number;
}

/** What is said of a document wherever it is named. */
export interface EntityHead {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly source: string;
  readonly uri: string;
  readonly tags: readonly string[];
  readonly documentAt: number;
}

/** A document that a search found. */
export interface EntityMatch extends EntityHead {
  /** From 0 to 1, comparable within one search. */
  readonly score: number;
  /** Best first, a few. */
  readonly chunks: readonly FoundChunk[];
}

export type SearchResult =
  | ({ readonly kind: "entity" } & EntityMatch)
  | {
      readonly kind: "memory";
      readonly id: string;
      readonly key: string | null;
      readonly snippet: string;
      readonly marks: readonly Mark[];
      readonly tags: readonly string[];
      readonly updatedAt: number;
      readonly score: number;
    };

export type FoundMemory = Extract<SearchResult, { kind: "memory" }>;

/** What memory gives a search that asks for it. */
export interface MemorySearch {
  /** Best first, with scores from 0 to 1: words and, where they are known, meanings. */
  findMemories(request: {
    readonly owners: readonly string[];
    /** Its words rank, its filters, phrases and exclusions choose; filters alone give the newest. */
    readonly query: Query;
    readonly limit: number;
    readonly access: Access;
  }): Promise<readonly FoundMemory[]>;
}

export interface SearchPage {
  readonly results: readonly SearchResult[];
  /** Absent: there is no more, or as much was shown as one search shows. */
  readonly nextCursor?: string;
  /** How it was searched: words alone until there are vectors. */
  readonly mode: "lexical" | "hybrid";
  /** What of the query was not understood or has no effect, for whoever asked. */
  readonly notes: readonly string[];
  /** How many documents of this page rules keep from whoever asked; absent: none. */
  readonly leftOut?: number;
}

export interface EntityView extends EntityHead {
  readonly indexedAt: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly chunks: readonly ChunkView[];
  /** More chunks than are given at once. */
  readonly truncated: boolean;
}

export interface ChunkView {
  readonly id: string;
  readonly index: number;
  readonly headings: readonly string[];
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What searching and reading looks like to tools, the API and the command line. */
export interface KnowledgeReader {
  /** Throws INVALID_ARGUMENT for a cursor that is not one, or of another query. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchPage>;
  /** Undefined: there is none, or the caller may not see it; nobody can tell which. */
  entity(id: string, access: Access): Promise<EntityView | undefined>;
  /** With `around` neighbours on either side. */
  chunk(
    id: string,
    around: number,
    access: Access,
  ): Promise<
    { readonly entity: Omit<EntityView, "chunks">; readonly chunks: readonly ChunkView[] } | undefined
  >;
}

/** How far a sync has come. */
export interface SyncProgress {
  readonly source: string;
  /** Files are counted, then compared with what is known and read. Vectors follow behind a sync, see `EmbeddingProgress`. */
  readonly phase: "scanning" | "reading" | "done";
  readonly seen: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly gone: number;
  readonly failed: number;
  readonly chunks: number;
  readonly bytes: number;
  /** Files a second, over the last seconds. */
  readonly rate: number;
  /** Files in all; while scanning, those found so far. Absent: it is not known before the end. */
  readonly total?: number;
}

/** How far the passages of a source have got their vectors. */
export interface EmbeddingProgress {
  readonly done: number;
  readonly left: number;
  /** Passages a second, of all sources; 0: it has just begun. */
  readonly rate: number;
}

/** A file that could not be read, and why, in words for people. */
export interface SyncProblem {
  readonly key: string;
  readonly reason: string;
}

export interface SourceReport extends Omit<SyncProgress, "phase" | "rate"> {
  readonly ok: boolean;
  /** Why it is not: then nothing was taken away. */
  readonly error?: string;
  readonly durationMs: number;
  /** The first of them. */
  readonly problems: readonly SyncProblem[];
}

export type SyncOutcome =
  | { readonly skipped: true; readonly reason: string }
  | { readonly skipped: false; readonly sources: readonly SourceReport[] };

export interface SourceStatus {
  readonly source: Pick<SourceRecord, "id" | "name" | "kind" | "label" | "enabled">;
  readonly entities: number;
  readonly chunks: number;
  /** Of these, how many have vectors. */
  readonly embedded: number;
  readonly lastSync: SourceReport | null;
  readonly lastSyncAt: number | null;
  /** What is going on now; null: nothing. */
  readonly running: SyncProgress | null;
  /** Absent: this process gives none of its passages vectors now. */
  readonly embedding?: EmbeddingProgress;
}

export interface SyncRequest {
  /** Absent: every enabled source. */
  readonly source?: string;
  /** Where another run is under way: waits for its end, then runs, in place of being skipped. Only one ever runs; who waits for the same shares one. */
  readonly waits?: boolean;
  readonly access: Access;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** Sources and how they are brought up to date. */
export interface KnowledgeSync {
  /** One at a time, over all replicas: says `skipped` where another run is under way. */
  sync(request: SyncRequest): Promise<SyncOutcome>;
  status(access: Access): Promise<readonly SourceStatus[]>;
  /** Reads a little of what a source would give, and changes nothing. */
  test(kind: string, config: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<SourceTest>;
  addSource(source: {
    readonly name: string;
    readonly kind: string;
    readonly config: Readonly<Record<string, unknown>>;
    readonly label?: string | null;
  }): Promise<SourceRecord>;
  /** Throws NOT_FOUND. What was read stays until the next sync. */
  changeSource(
    name: string,
    change: Partial<Pick<SourceRecord, "name" | "config" | "label" | "enabled">>,
  ): Promise<SourceRecord>;
  /** With everything that was read from it. A sync of it in this process is cancelled. */
  removeSource(name: string): Promise<void>;
  sources(): Promise<readonly SourceRecord[]>;
  /** The folder where agents put what they want to be found, and the source that reads it: made where they are not there yet. */
  inbox(): Promise<{ readonly folder: string; readonly source: SourceRecord }>;
  /** Ends what runs; what was written stays, and the next sync goes on from there. */
  close(): Promise<void>;
}

export type SourceTest =
  | {
      readonly ok: true;
      readonly files: number;
      /** There are more than were looked at. */
      readonly more: boolean;
      readonly sample: readonly { readonly key: string; readonly title: string; readonly chunks: number }[];
      readonly problems: readonly SyncProblem[];
    }
  | { readonly ok: false; readonly error: string };
