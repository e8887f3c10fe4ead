/**
 * The store of a home, whichever tables the features bring. SQLite and PostgreSQL run the same queries; the contract suite
 * in `test/machine/db/contract.ts` runs over both. A resolved promise of a write means that it is durable. Times are
 * milliseconds since the epoch.
 */

import type { Database } from "./database.ts";
import type { Reseal, Resealed } from "./reseal.ts";
import type { Sharing } from "./sharing.ts";

export interface Store extends Sharing {
  readonly dialect: "sqlite" | "postgres";
  /** The tables of features are reached through this. */
  readonly database: Database;
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
export type Prunable = "calls" | "attachments" | "toolUses";

export interface StoreDump {
  readonly schemaVersion: number;
  /** By feature, how many of its migrations were made; absent in backups from before there were any. */
  readonly features?: Readonly<Record<string, number>>;
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}
