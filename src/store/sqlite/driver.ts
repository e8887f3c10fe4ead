import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery, type DatabaseConnection, SqliteDriver } from "kysely";
import { messageOf } from "../../errors.ts";
import { sqliteCode } from "./database-sync.ts";

const BUSY = 5;
const BUSY_TIMEOUT_MS = 5000;
const RETRY_MS = 10;

/**
 * Kysely's driver, made to wait for other processes without blocking the thread, as SQLite's own waiting would.
 * Transactions take the write lock when they begin: one that began by reading could be refused it later.
 */
export class PatientSqliteDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return {
      executeQuery: (query) => whileBusy(async () => connection.executeQuery(query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      // A full disk ends the transaction by itself; complaining about that would hide why.
      if (!messageOf(error).includes("no transaction is active")) throw error;
    }
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
