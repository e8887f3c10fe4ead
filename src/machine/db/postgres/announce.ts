import { type RawBuilder, sql, type Transaction } from "kysely";
import { isRecord } from "../../../lib/json.ts";
import type { Schema } from "../schema.ts";
import { CHANGE_KINDS, type ChangeKind, type MovedQuestion, QUESTION_STATES } from "../sharing.ts";

/** An SQL expression. Channels belong to a database, the tables to a schema in it: others there have other channels. */
export const CHANNEL = "'toolkeep_' || md5(current_schema())";

/** PostgreSQL takes 8,000 bytes, and JSON may write six for a character. */
const MAX_ABOUT = 1_000;

/** The announcement of a change. `revision` is null for a change that no process keeps in memory. */
export interface Announcement {
  readonly by: string;
  readonly kind: ChangeKind;
  /** Which one of its kind; null: any. */
  readonly about: string | null;
  readonly revision: number | null;
  readonly question: MovedQuestion | null;
}

/** Raises the revision and says so, in one statement; others hear of it when the transaction has ended well. */
export async function announceChange(
  transaction: Transaction<Schema>,
  by: string,
  kind: ChangeKind,
  about?: string,
): Promise<void> {
  await sql`
    with raised as (update revision set value = value + 1 returning value)
    select pg_notify(${sql.raw(CHANNEL)}, ${payload(by, kind, about)} || value || '}') from raised`.execute(
    transaction,
  );
}

export async function announceQuestion(
  transaction: Transaction<Schema>,
  by: string,
  { id, state }: MovedQuestion,
): Promise<void> {
  const text = JSON.stringify({ by, question: { id, state } });
  await sql`select pg_notify(${sql.raw(CHANNEL)}, ${text})`.execute(transaction);
}

/** Undefined for a text that Toolkeep did not send: every user of the database may send. */
export function readAnnouncement(text: string): Announcement | undefined {
  const sent = parsed(text);
  if (!isRecord(sent) || typeof sent.by !== "string") return undefined;
  return {
    by: sent.by,
    // A later version may know more kinds.
    kind: CHANGE_KINDS.find((kind) => kind === sent.kind) ?? "everything",
    about: typeof sent.about === "string" ? sent.about : null,
    revision: Number.isSafeInteger(sent.revision) ? (sent.revision as number) : null,
    question: readQuestion(sent.question),
  };
}

/** All but the revision and the end. */
function payload(by: string, kind: ChangeKind, about = ""): RawBuilder<string> {
  const isNamed = about !== "" && about.length <= MAX_ABOUT;
  const text = JSON.stringify({ by, kind, ...(isNamed && { about }) });
  return sql<string>`${`${text.slice(0, -1)},"revision":`}::text`;
}

function readQuestion(sent: unknown): MovedQuestion | null {
  if (!isRecord(sent) || typeof sent.id !== "string") return null;
  const state = QUESTION_STATES.find((known) => known === sent.state);
  return state === undefined ? null : { id: sent.id, state };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
