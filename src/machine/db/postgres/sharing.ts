import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import type { DialectSharing } from "../dialect.ts";
import { announceChange, announceQuestion } from "./announce.ts";
import { ChangeFollower } from "./follow.ts";
import { attempt, lead } from "./lead.ts";
import { PostgresSession } from "./session.ts";

/** How this process takes part among those that share the database. */
export function postgresSharing(url: string, pool: pg.Pool): DialectSharing {
  const session = new PostgresSession(url);
  const self = randomUUID();
  const readRevision = async () => {
    const { rows } = await pool.query<{ value: number }>("select value from revision");
    return rows[0]!.value;
  };
  return {
    raise: (transaction, kind, about) => announceChange(transaction, self, kind, about),
    tellOfQuestion: (transaction, moved) => announceQuestion(transaction, self, moved),
    async lock(transaction, name) {
      await sql`select pg_advisory_xact_lock(hashtext(current_schema()), hashtext(${name}))`.execute(
        transaction,
      );
    },
    follow: (since, follower) => new ChangeFollower(since, follower, { session, self, readRevision }),
    lead: (job, work, signal) => lead(session, job, work, signal),
    attempt: (job, work, signal) => attempt(session, job, work, signal),
    close: () => session.close(),
  };
}
