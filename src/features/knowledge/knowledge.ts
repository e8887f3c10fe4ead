import type {
  ChunkAnswer,
  EntityView,
  FoundMemory,
  NewSource,
  SearchPage,
  SourceEdit,
  SourceRecord,
  SourceTest,
  SourceView,
  SyncOutcome,
  SyncProgress,
} from "./contract.ts";
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

/** What searching and reading looks like to tools, the API and the command line. */
export interface KnowledgeReader {
  /** Throws INVALID_ARGUMENT for a cursor that is not one, or of another query. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchPage>;
  /** Undefined: there is none, or the caller may not see it; nobody can tell which. */
  entity(id: string, access: Access): Promise<EntityView | undefined>;
  /** With `around` neighbours on either side. */
  chunk(id: string, around: number, access: Access): Promise<ChunkAnswer | undefined>;
}

export interface SourceStatus
  extends Pick<
    SourceView,
    "entities" | "chunks" | "embedded" | "lastSync" | "lastSyncAt" | "running" | "embedding"
  > {
  readonly source: Pick<SourceRecord, "id" | "name" | "kind" | "label" | "enabled">;
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
  addSource(source: NewSource): Promise<SourceRecord>;
  /** Throws NOT_FOUND. What was read stays until the next sync. */
  changeSource(name: string, change: SourceEdit): Promise<SourceRecord>;
  /** With everything that was read from it. A sync of it in this process is cancelled. */
  removeSource(name: string): Promise<void>;
  sources(): Promise<readonly SourceRecord[]>;
  /** The folder where agents put what they want to be found, and the source that reads it: made where they are not there yet. */
  inbox(): Promise<{ readonly folder: string; readonly source: SourceRecord }>;
  /** Ends what runs; what was written stays, and the next sync goes on from there. */
  close(): Promise<void>;
}
