import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery, type DatabaseConnection, SqliteDriver } from "kysely";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import { identityOf, isSameFile } from "../../files/file-identity.ts";
import { sqliteCode } from "./database-sync.ts";

const BUSY = 5;
const BUSY_TIMEOUT_MS = 5000;
const RETRY_MS = 10;

/**
 * Kysely's driver, made to wait for other processes without blocking the thread, as SQLite's own waiting would.
 * Transactions take the write lock when they begin: one that began by reading could be refused it later.
 */
export class PatientSqliteDriver extends SqliteDriver {
  readonly #file: SameFile;
  #isInTransaction = false;

  /** `file`: that of the database. */
  constructor(config: ConstructorParameters<typeof SqliteDriver>[0], file: string) {
    super(config);
    this.#file = new SameFile(file);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return {
      executeQuery: (query) => {
        if (!this.#isInTransaction && !READS.test(query.sql)) this.#file.check();
        return whileBusy(async () => connection.executeQuery(query));
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
    this.#isInTransaction = true;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.#file.check();
    await super.commitTransaction(connection);
    this.#isInTransaction = false;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#isInTransaction = false;
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      // A full disk ends the transaction by itself; complaining about that would hide why.
      if (!messageOf(error).includes("no transaction is active")) throw error;
    }
  }
}

/** These acknowledge nothing. */
const READS = /^\s*(select|pragma|rollback)\b/i;

/**
 * A file that was deleted or replaced can still be written as long as it is open, and everything that is written is
 * lost. Looking takes a few microseconds, less than a hundredth of a commit.
 */
class SameFile {
  readonly #path: string;
  readonly #known: ReturnType<typeof identityOf>;

  constructor(path: string) {
    this.#path = path;
    this.#known = identityOf(path);
  }

  /** Throws STORE_UNAVAILABLE. */
  check(): void {
    if (!isSameFile(this.#known, identityOf(this.#path))) throw lost(this.#path);
  }
}

async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (sqliteCode(error)?.primary !== BUSY || performance.now() >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function lost(path: string): ToolkeepError {
  return new ToolkeepError(
    "STORE_UNAVAILABLE",
    `The store at ${path} was deleted or replaced while it was in use.`,
    {
      remedy: "Stop Toolkeep, put the home back or restore a backup, then start it again.",
    },
  );
}
