import { setTimeout as delay } from "node:timers/promises";
import type { PostgresSession, SessionConnection } from "./session.ts";

/** How soon another process takes over once the lead is free. */
const TRY_MS = 2_000;

/** Locks belong to a database, the tables to a schema in it. */
const LOCK = "hashtext('toolkeep ' || current_schema()), hashtext($1)";

/** See `Sharing.lead`. The lead is a lock on the session: it is free as soon as its connection is gone. */
export async function lead(
  session: PostgresSession,
  job: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const connection = await session.connection(signal).catch(() => undefined);
    if (connection === undefined) return;
    if (!(await hasLock(connection, job))) {
      await delay(TRY_MS, undefined, { signal, ref: false }).catch(() => {});
      continue;
    }
    if ((await workAsLeader(connection, job, work, signal)) === "ended") return;
  }
}

/** See `Sharing.attempt`. */
export async function attempt(
  session: PostgresSession,
  job: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const connection = await session.connection(signal);
  if (!(await hasLock(connection, job))) return false;
  await workAsLeader(connection, job, work, signal);
  return true;
}

async function workAsLeader(
  connection: SessionConnection,
  job: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<"ended" | "lost"> {
  const { lost } = connection;
  try {
    await work(AbortSignal.any([signal, lost]));
  } catch (error) {
    // Whatever it was, it may only be what losing the lead led to.
    if (!lost.aborted) throw error;
  } finally {
    if (!lost.aborted) await connection.query(`select pg_advisory_unlock(${LOCK})`, [job]).catch(() => {});
  }
  return lost.aborted && !signal.aborted ? "lost" : "ended";
}

/** False also when the connection is lost meanwhile. */
async function hasLock(connection: SessionConnection, job: string): Promise<boolean> {
  try {
    const [row] = await connection.query<{ mine: boolean }>(`select pg_try_advisory_lock(${LOCK}) as mine`, [
      job,
    ]);
    return row?.mine === true;
  } catch {
    return false;
  }
}
