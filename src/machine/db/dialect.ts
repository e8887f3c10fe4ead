import type { Dialect, Transaction } from "kysely";
import type { ColumnTypes } from "./history/migration.ts";
import type { Schema } from "./schema.ts";
import type { ChangeKind, MovedQuestion, Sharing } from "./sharing.ts";

/** The differences between the databases. `sqlite/` and `postgres/` each implement it. */
export interface StoreDialect {
  readonly name: "sqlite" | "postgres";
  readonly kysely: Dialect;
  readonly columnTypes: ColumnTypes;
  /** The location of the data, for messages. Never contains a password. */
  readonly location: string;
  /** Keeps other processes from migrating until the transaction ends. */
  lockMigrations(transaction: Transaction<Schema>): Promise<void>;
  readonly sharing: DialectSharing;
  classify(error: unknown): ErrorClass;
}

/** How processes on one database notice each other. What is told is heard when the transaction has ended well. */
export interface DialectSharing extends Sharing {
  /** Raises the revision and tells of the change. Changes wait for one another here. */
  raise(transaction: Transaction<Schema>, kind: ChangeKind, about?: string): Promise<void>;
  tellOfQuestion(transaction: Transaction<Schema>, moved: MovedQuestion): Promise<void>;
  /** Other transactions that lock the same name wait until this one ends. */
  lock(transaction: Transaction<Schema>, name: string): Promise<void>;
  /** Never waits for the database. */
  close(): Promise<void>;
}

/**
 * `unique`: a key is taken. `reference`: the row refers to one that is absent, or lacks a value it needs.
 * `unavailable`: the database cannot do its work now. `damaged`: nor will it later, since what it kept is broken.
 * `bug`: everything else.
 */
export type ErrorClass = "unique" | "reference" | "unavailable" | "damaged" | "bug";

/**
 * A string as every dialect keeps it. PostgreSQL refuses U+0000 and SQLite would silently cut there, so it becomes
 * the replacement character, and hostile text cannot break or shorten a record.
 */
export function storable(parameter: unknown): unknown {
  return typeof parameter === "string" && parameter.includes("\0")
    ? parameter.replaceAll("\0", "\uFFFD")
    : parameter;
}
