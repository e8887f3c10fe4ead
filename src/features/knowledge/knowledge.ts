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

/** The rights of a caller. It sees everything without a label, and everything with one of these labels; null: all labels. */
export interface Access {
  readonly labels: readonly string[] | null;
  /** Whether rules show documents read from this file; absent: no rules apply. */
  readonly isFileShown?: (file: DocumentFile) => boolean;
}

export interface SearchRequest {
  /** Words, "phrases", begin*, -not, source: tag: type: before: after:. */
  readonly query: string;
  /** At most 100. */
  readonly limit: number;
  readonly source?: string;
  /** From an earlier page of the same query. */
  readonly cursor?: string;
  /** Absent: only entities. */
  readonly types?: readonly ("entity" | "memory")[];
  readonly access: Access;
  /** The owners of the memories to search: the caller and the shared spaces it may read. */
  readonly memoryOwners?: readonly string[];
  /** Show at most half of the visible documents, so that no query can list a small index. */
  readonly withinHalf?: boolean;
}

/** Finds memories for a search that includes them. */
export interface MemorySearch {
  /** Best first, with scores from 0 to 1, by words and, if vectors exist, by meaning. */
  findMemories(request: {
    readonly owners: readonly string[];
    /** Words rank; filters, phrases and exclusions select. Filters alone give the newest. */
    readonly query: Query;
    readonly limit: number;
    readonly access: Access;
  }): Promise<readonly FoundMemory[]>;
}

/** Searches and reads documents, for tools, the API and the command line. */
export interface KnowledgeReader {
  /** Throws BAD_REQUEST for an invalid cursor and for one of another query. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchPage>;
  /** Undefined if it does not exist or the caller may not see it; the caller cannot tell which. */
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
  /** If another run is in progress, wait for its end and then run, instead of being skipped. Requests that wait for the same sync share one run. */
  readonly waits?: boolean;
  readonly access: Access;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** Sources and how they are brought up to date. */
export interface KnowledgeSync {
  /** Runs one sync at a time over all replicas; `skipped` if another is in progress. */
  sync(request: SyncRequest): Promise<SyncOutcome>;
  status(access: Access): Promise<readonly SourceStatus[]>;
  /** Reads a little of what a source would give, and changes nothing. */
  test(kind: string, config: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<SourceTest>;
  addSource(source: NewSource): Promise<SourceRecord>;
  /** Throws NOT_FOUND. Documents stay as they are until the next sync. */
  changeSource(name: string, change: SourceEdit): Promise<SourceRecord>;
  /** Removes its documents, too. Cancels a sync of it in this process. */
  removeSource(name: string): Promise<void>;
  sources(): Promise<readonly SourceRecord[]>;
  /** The inbox folder and the source that reads it; both are created if missing. */
  inbox(): Promise<{ readonly folder: string; readonly source: SourceRecord }>;
  /** Stops a running sync. What it wrote stays, and the next sync continues from there. */
  close(): Promise<void>;
}
