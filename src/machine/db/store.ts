/**
 * What is kept: one interface per noun. SQLite and PostgreSQL implement all of it with the same queries; the
 * contract suite in `test/machine/db/contract.ts` runs over both. A resolved promise of a write means it is durable.
 * Times are milliseconds since the epoch. Every `list` is ordered and every `create` refuses a taken name with
 * NAME_TAKEN; `update` and `delete` of something absent throw NOT_FOUND.
 */

import type { Database } from "./database.ts";
import type { NewestBefore } from "./query/newest-before.ts";
import type { Reseal, Resealed } from "./reseal.ts";
import type { Sharing } from "./sharing.ts";
import type { AuditStore } from "./tables/calls/audit-record.ts";
import type { CallStore } from "./tables/calls/call-record.ts";
import type { OutputStore } from "./tables/calls/output-record.ts";
import type { ToolUseStore } from "./tables/calls/tool-use-record.ts";
import type { PinStore, ToolCapabilitiesStore } from "./tables/sources/pin-record.ts";
import type { AttachmentStore } from "./tables/work/work-record.ts";

export type { CallRecord, CallStore } from "./tables/calls/call-record.ts";
export type {
  AttachmentRecord,
  AttachmentStore,
} from "./tables/work/work-record.ts";

export interface Store extends Sharing {
  readonly dialect: "sqlite" | "postgres";
  /** For features, which have tables of their own. */
  readonly database: Database;
  readonly servers: ServerStore;
  readonly pins: PinStore;
  readonly toolCapabilities: ToolCapabilitiesStore;
  readonly toolNames: ToolNameStore;
  readonly notifications: NotificationStore;
  readonly attachments: AttachmentStore;
  readonly calls: CallStore;
  readonly audit: AuditStore;
  readonly outputs: OutputStore;
  readonly toolUses: ToolUseStore;
  /** Grows with every change to agents, tokens, people, toolboxes, servers or tool names, also by another process. */
  revision(): Promise<number>;
  /** Writes something small that means nothing. Rejects as every other write would now. */
  checkWrite(): Promise<void>;
  /**
   * Deletes what ended before `before`, oldest first, at most `limit` of it; resolves with how much that was. Nothing
   * that is still open, unread or valid goes.
   */
  prune(what: Prunable, before: number, limit: number): Promise<number>;
  /** Passes every sealed value of every table through `reseal`, in one transaction. */
  reseal(reseal: Reseal): Promise<Resealed>;
  /** Every row of every table, but not the kept outputs, the embeddings and the sessions, as plain JSON values, for a backup; as of one moment. */
  dump(): Promise<StoreDump>;
  /** Replaces everything with a dump, in one transaction. */
  load(dump: StoreDump): Promise<void>;
  close(): Promise<void>;
}

/** What grows without end. The files of attachments are not the store's. */
export type Prunable =
  | "calls"
  | "questions"
  | "notifications"
  | "attachments"
  | "tokens"
  | "consents"
  | "claims"
  | "outputs"
  | "activations"
  | "toolUses"
  | "rules"
  | "labels"
  | "contentLabels";

export interface StoreDump {
  readonly schemaVersion: number;
  /** By feature, how many of its migrations were made; absent in backups from before there were any. */
  readonly features?: Readonly<Record<string, number>>;
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** What has a name of its own, held as records of one kind. */
interface NamedStore<R> {
  list(): Promise<R[]>;
  byName(name: string): Promise<R | undefined>;
  create(record: R): Promise<void>;
}

/** A registered server, or the row that keeps id and names of one that only a settings file declares. */
export interface ServerRecord {
  readonly id: string;
  readonly name: string;
  /** What `{server}` becomes in tool names; kept when the server is renamed. */
  readonly prefix: string;
  readonly origin: "stored" | "file";
  /** Everything but secrets: transport, command, args, cwd, url, timeouts … Null for a file's server. */
  readonly config: Readonly<Record<string, unknown>> | null;
  /** Sealed JSON `{env, headers}`; null when there is none. */
  readonly sealed: Uint8Array | null;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  readonly enabled: boolean;
  readonly status: "active" | "pending_approval";
  /** The fingerprint of the definition that a person approved, where approval is bound to one. */
  readonly approvedFingerprint: string | null;
  readonly addedBy: string | null;
  /** The protocol era found last: `{era, version, at}`. */
  readonly era: Readonly<Record<string, unknown>> | null;
  readonly instructions: string | null;
  /** It has sent inquiries back during calls: callers that can answer get a connection of their own. */
  readonly asksBack: boolean;
  /** Sealed JSON of what signing in left behind (client registration, refresh token …); null when there is nothing. */
  readonly auth: Uint8Array | null;
  readonly listedAt: number | null;
  readonly lastError: string | null;
  /** When the last attempt to reach it failed; null where it worked, or nobody has tried. */
  readonly failedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A tool definition as its server published it. */
export interface ServerToolRecord {
  readonly serverId: string;
  readonly originalName: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** Equal for definitions that say the same; absent where it was never computed. */
  readonly fingerprint?: string;
}

/** Something a server offers beside its tools, as it published it. */
export interface ServerOfferRecord {
  readonly serverId: string;
  readonly kind: "resource" | "resource_template" | "prompt";
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface ServerStore extends NamedStore<ServerRecord> {
  update(id: string, change: Partial<Omit<ServerRecord, "id" | "createdAt">>): Promise<void>;
  /** Deletes its tools and offers with it; its tool names stay taken. */
  delete(id: string): Promise<void>;
  /** The tools of the last list, of one server or of all, in the order the server gave. */
  tools(serverId?: string): Promise<ServerToolRecord[]>;
  /** Replaces what signing in left behind, unless it is no longer `before`; resolves with whether it did. */
  changeAuth(id: string, before: Uint8Array | null, after: Uint8Array | null): Promise<boolean>;
  replaceTools(serverId: string, tools: readonly ServerToolRecord[]): Promise<void>;
  /** What the last lists offered beside tools, by kind, each kind in the order the server gave. */
  offers(serverId?: string): Promise<ServerOfferRecord[]>;
  /** Of every kind at once. */
  replaceOffers(serverId: string, offers: readonly ServerOfferRecord[]): Promise<void>;
}

export interface ToolNameRecord {
  readonly serverId: string;
  readonly originalName: string;
  readonly name: string;
}

export interface ToolNameStore {
  list(): Promise<ToolNameRecord[]>;
  /**
   * Adds names never seen before; a pair or a name already present is left as it is. Resolves with all names of the
   * servers concerned.
   */
  add(names: readonly ToolNameRecord[]): Promise<ToolNameRecord[]>;
  /** Gives tools of one server other names, all or none. The old names stay taken: nobody else's tool ever gets one. */
  rename(serverId: string, changes: readonly ToolNameChange[]): Promise<void>;
}

export interface ToolNameChange {
  readonly originalName: string;
  readonly from: string;
  readonly to: string;
}

export interface NotificationRecord {
  readonly id: string;
  readonly agentId: string | null;
  readonly level: "info" | "warning" | "error";
  readonly title: string;
  readonly body: string;
  readonly createdAt: number;
  readonly dismissedAt: number | null;
}

export interface NotificationFilter extends NewestBefore {
  readonly dismissed?: boolean | "only" | undefined;
  /** Only those whose ids begin so. */
  readonly idPrefix?: string | undefined;
}

export interface NotificationStore {
  /** Newest last; at most 500; dismissed ones only on request: beside the others, or they alone. */
  list(filter?: NotificationFilter): Promise<NotificationRecord[]>;
  create(notification: NotificationRecord): Promise<void>;
  dismiss(id: string, at: number): Promise<void>;
}
