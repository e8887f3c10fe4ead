/** The part of the contract about what was gathered, and about what agents remember. */
import type { InboxInput as InboxDocument, InboxFile } from "../../../features/knowledge/inbox.ts";
import type {
  ChunkView,
  EmbeddingProgress,
  EntityView,
  FoundChunk,
  SearchPage,
  SearchResult,
  SourceReport,
  SourceStatus,
  SourceTest,
  SyncOutcome,
  SyncProgress,
} from "../../../features/knowledge/knowledge.ts";
import type { MemoryChange } from "../../../features/knowledge/memory/memory.ts";
import type {
  MemoryRecord,
  MemoryType,
  MemoryVersion,
} from "../../../machine/db/tables/knowledge/memory-record.ts";
import type { SourceRecord } from "../../../machine/db/tables/knowledge/source-record.ts";

export type {
  ChunkView,
  EmbeddingProgress,
  EntityView,
  FoundChunk,
  InboxFile,
  MemoryType,
  SearchPage,
  SearchResult,
  SourceReport,
  SourceTest,
  SyncOutcome,
  SyncProgress,
};

/** A source, what of it was read, and how its last sync ended. */
export interface SourceView
  extends Omit<SourceRecord, "lastSync">,
    Pick<
      SourceStatus,
      "entities" | "chunks" | "embedded" | "lastSync" | "lastSyncAt" | "running" | "embedding"
    > {}

/** `GET /api/sources`: by name. While a source is synced, `running` says how far that is. */
export interface SourceList {
  readonly sources: readonly SourceView[];
}

export interface SourceAnswer {
  readonly source: SourceView;
}

/** `POST /api/sources` */
export interface NewSource {
  readonly name: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly label?: string | null;
}

/** `PATCH /api/sources/NAME`; what is given replaces what was. */
export interface SourceEdit {
  readonly name?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly label?: string | null;
  readonly enabled?: boolean;
}

/** `POST /api/sources/test` */
export interface SourceTrial {
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** `POST /api/sync` */
export interface SyncStart {
  /** Absent: every enabled source. */
  readonly source?: string;
  /** Answers when it is done; else as soon as it runs. */
  readonly wait?: boolean;
}

export interface SyncAnswer {
  /** It goes on: `GET /api/sources` and the event `sync.progress` say how far it is. */
  readonly running: boolean;
  readonly skipped: boolean;
  /** Why it was skipped. */
  readonly reason?: string;
  /** How it ended. */
  readonly sources?: readonly SourceReport[];
}

export interface EntityAnswer {
  readonly entity: EntityView;
}

/** `GET /api/chunks/ID`: with its neighbours, in order. */
export interface ChunkAnswer {
  readonly entity: Omit<EntityView, "chunks">;
  readonly chunks: readonly ChunkView[];
}

export interface InboxList {
  /** Where it is. */
  readonly folder: string;
  /** Newest first. */
  readonly files: readonly InboxFile[];
  readonly total: number;
}

/** `POST /api/inbox` */
export type InboxInput = Omit<InboxDocument, "by">;

export interface InboxAnswer {
  readonly name: string;
}

export interface MemoryView extends Omit<MemoryRecord, "agentId"> {
  /** Whose it is; null: that of a shared space. */
  readonly agent: string | null;
  /** The shared space it lies in; null: an agent's own. */
  readonly space: string | null;
}

/** `GET /api/memories`: newest first; with `text` those that it finds, best first. */
export interface MemoryList {
  readonly memories: readonly MemoryView[];
  /** With `text`: how many were found on this page. */
  readonly total: number;
}

export interface MemoryAnswer {
  readonly memory: MemoryView;
}

/** `POST /api/memories`: for an agent or a space; the operator's own where neither is named. */
export interface NewMemory {
  readonly agent?: string;
  readonly space?: string;
  readonly key?: string;
  readonly text: string;
  readonly tags?: readonly string[];
  readonly type?: MemoryType;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly label?: string;
  readonly expiresAt?: number;
}

/** `PATCH /api/memories/ID`; what is given replaces what was. */
export type MemoryEdit = MemoryChange;

export interface MemoryVersionView extends Omit<MemoryVersion, "agentId"> {
  readonly agent: string | null;
  readonly space: string | null;
}

/** What memories said before, newest first. */
export interface MemoryHistory {
  readonly versions: readonly MemoryVersionView[];
}

/** `GET /api/memories/spaces` */
export interface MemorySpaces {
  readonly spaces: readonly {
    readonly name: string;
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly memories: number;
  }[];
}
