import { CamelCasePlugin, Kysely, NoResultError, type RawBuilder, type Transaction } from "kysely";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { StoreDialect } from "./dialect.ts";
import type { Schema } from "./schema.ts";
import type { ChangeKind } from "./sharing.ts";

/** How the nouns reach their tables. Failures of the database come out as errors of the catalogue. */
export interface Database<S = Schema> {
  readonly dialect: StoreDialect;
  /** One statement, read or write. */
  query<T>(work: (db: Kysely<S>) => Promise<T>): Promise<T>;
  /**
   * The rows as the database gives them, for lists so long that renaming every column would take longer than reading
   * them: the statement names its columns as the schema does.
   */
  rows<R>(statement: RawBuilder<R>): Promise<R[]>;
  /** All or nothing. */
  transact<T>(work: (transaction: Transaction<S>) => Promise<T>): Promise<T>;
  /** A transaction that every process must notice: it raises the revision and tells them what, and of what kind, it is about. */
  change<T>(kind: ChangeKind, work: (transaction: Transaction<S>) => Promise<T>, about?: string): Promise<T>;
  /** Reads that all see the same moment. */
  snapshot<T>(work: (transaction: Transaction<S>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Returns the same database, typed with the tables of a feature. */
export function withTables<S>(database: Database): Database<S> {
  return database as unknown as Database<S>;
}

export function connect(dialect: StoreDialect): Database {
  const kysely = new Kysely<Schema>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  const plain = kysely.withoutPlugins();
  const translated = <T>(work: Promise<T>) =>
    work.catch((error) => Promise.reject(storeError(error, dialect)));
  const transact: Database["transact"] = (work) => translated(kysely.transaction().execute(work));

  return {
    dialect,
    transact,
    query: (work) => translated(work(kysely)),
    rows: (statement) => translated(statement.execute(plain).then(({ rows }) => rows)),
    change: (kind, work, about) =>
      transact(async (transaction) => {
        // First, so that changes wait for one another here and cannot deadlock further on.
        await dialect.sharing.raise(transaction, kind, about);
        return work(transaction);
      }),
    snapshot: (work) =>
      translated(
        kysely.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work),
      ),
    async close() {
      await dialect.sharing.close();
      await kysely.destroy();
    },
  };
}

/** Adds a message that names the taken thing to a NAME_TAKEN error of `work`. */
export async function unlessTaken<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ToolkeepError) || error.code !== "NAME_TAKEN") throw error;
    throw new ToolkeepError("NAME_TAKEN", `${what} already exists.`, { cause: error });
  }
}

/** Refuses an update or delete that met no row. */
export function mustAffect(rows: bigint, what: string): void {
  if (rows === 0n) throw new ToolkeepError("NOT_FOUND", `There is no ${what}.`);
}

/** Refuses to update a row that is no longer in the expected state; undefined means that there is no such row. */
export function mustBeIn<State>(state: State | undefined, now: State | undefined, what: string): void {
  if (state === undefined || now === undefined || now === state) return;
  throw new ToolkeepError("CHANGED", `The ${what} was changed by somebody else meanwhile.`);
}

function storeError(error: unknown, dialect: StoreDialect): unknown {
  if (error instanceof ToolkeepError) return error;
  // Rows that migrations made and nothing deletes.
  if (error instanceof NoResultError)
    return damaged("a row that is always there is missing", dialect.location);
  switch (dialect.classify(error)) {
    case "unique":
      return new ToolkeepError(
        "NAME_TAKEN",
        `Something with the same name or id already exists: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    case "reference":
      return new ToolkeepError("NOT_FOUND", `Something this refers to does not exist: ${messageOf(error)}`, {
        cause: error,
      });
    case "unavailable":
      return unavailable(error, dialect.location);
    case "damaged":
      return damaged(error, dialect.location);
    default:
      return error;
  }
}

/** The store cannot be reached or cannot write. */
export function unavailable(error: unknown, location: string): ToolkeepError {
  return new ToolkeepError("STORE_UNAVAILABLE", `The store at ${location} cannot be used: ${reason(error)}`, {
    cause: error,
  });
}

const DAMAGED =
  "Stop Toolkeep, copy the store as it is, check the disk, then restore the last backup with toolkeep restore FILE --force; for a SQLite file sqlite3 toolkeep.db .recover may save more.";
const INDEX_DAMAGED =
  "Stop Toolkeep and delete the file: it is an index, made anew from its sources with toolkeep sync.";

/** The error for stored data that cannot be read. */
export function damaged(error: unknown, location: string): ToolkeepError {
  return new ToolkeepError("STORE_UNAVAILABLE", `The store at ${location} is damaged: ${reason(error)}`, {
    cause: error,
    remedy: location.endsWith("knowledge.db") ? INDEX_DAMAGED : DAMAGED,
  });
}

/** A connection refused at several addresses gives an AggregateError without a message. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return messageOf(error);
}
