import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from "kysely";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, withTables } from "../../machine/db/database.ts";
import { type NewestBefore, newestBefore } from "../../machine/db/query/newest-before.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import type { MovedQuestion } from "../../machine/db/sharing.ts";
import {
  type NotificationRecord,
  notification,
  type QuestionRecord,
  question,
  type VisibleState,
} from "./contract.ts";

const questions = defineTable({ name: "questions", noun: "question", record: question });
const notifications = defineTable({ name: "notifications", noun: "notification", record: notification });

export const TABLES = [questions, notifications];

interface Rows {
  questions: RowOf<typeof questions>;
  notifications: RowOf<typeof notifications>;
}

export interface QuestionFilter extends NewestBefore {
  /** As the record has it. */
  readonly state?: QuestionRecord["state"] | undefined;
  /** As people see it at this time; `settled`: nobody can answer it any more. */
  readonly visible?: { readonly state: VisibleState | "settled"; readonly now: number } | undefined;
  readonly kind?: QuestionRecord["kind"] | undefined;
  readonly agentId?: string | undefined;
}

const { toRow, toChange, toRecord } = codecOf(questions);
const OPEN = ["pending", "answered"] as const;
const SETTLED = ["answered", "dismissed", "used"] as const;

/** Questions. Other processes are told of every new state, with the transaction that writes it. */
export class QuestionTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof questions>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, questions);
  }

  /** Newest last; at most 500. Without those that belong to a batch. */
  async list({
    state,
    visible,
    kind,
    agentId,
    before,
    limit,
  }: QuestionFilter = {}): Promise<QuestionRecord[]> {
    const newestFirst = await this.#database.query((db) =>
      db
        .selectFrom("questions")
        .selectAll()
        .where("batchId", "is", null)
        .$if(state !== undefined, (query) => query.where("state", "=", state!))
        .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
        .$if(kind !== undefined, (query) => query.where("kind", "=", kind!))
        .$if(visible !== undefined, (query) => query.where((is) => isVisibly(is, visible!)))
        .$call((query) => newestBefore(query, { before, limit }))
        .execute(),
    );
    return newestFirst.reverse().map(toRecord);
  }

  async get(id: string): Promise<QuestionRecord | undefined> {
    const row = await this.#database.query((db) =>
      db.selectFrom("questions").selectAll().where("id", "=", id).executeTakeFirst(),
    );
    return row && toRecord(row);
  }

  /** The pending or answered question with this digest that is neither used, dismissed nor expired. */
  open(digest: string, now: number): Promise<QuestionRecord | undefined> {
    return this.#database.query((db) => findOpen(db, digest, now));
  }

  /** How many such questions there are for each of these digests. */
  async countOpen(digests: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    if (digests.length === 0) return new Map();
    const rows = await this.#database.query((db) =>
      db
        .selectFrom("questions")
        .select("digest")
        .where("digest", "in", digests)
        .where("state", "in", OPEN)
        .where("expiresAt", ">", now)
        .execute(),
    );
    const counts = new Map<string, number>();
    for (const { digest } of rows) counts.set(digest, (counts.get(digest) ?? 0) + 1);
    return counts;
  }

  /** The newest with this digest that was rejected or dismissed at `since` or later. */
  async refused(digest: string, since: number): Promise<QuestionRecord | undefined> {
    const row = await this.#database.query((db) =>
      db
        .selectFrom("questions")
        .selectAll()
        .where("digest", "=", digest)
        .where("state", "in", SETTLED)
        .where("answeredAt", ">=", since)
        .where((either) => either.or([either("answer", "=", "reject"), either("answer", "is", null)]))
        .orderBy("answeredAt", "desc")
        .limit(1)
        .executeTakeFirst(),
    );
    return row && toRecord(row);
  }

  /** Resolves with the question, or with the open one of the same digest if another process was faster. */
  create(created: QuestionRecord): Promise<QuestionRecord> {
    const { sharing } = this.#database.dialect;
    return this.#database.transact(async (db) => {
      await sharing.lock(db as never, `question ${created.digest}`);
      const open = await findOpen(db, created.digest, created.createdAt);
      if (open) return open;
      await db.insertInto("questions").values(toRow(created)).execute();
      await this.#announce(db, created);
      return created;
    });
  }

  /** Creates one that people see, and those of its batch. */
  async createBatch(shown: QuestionRecord, members: readonly QuestionRecord[]): Promise<void> {
    await this.#database.transact(async (db) => {
      await db
        .insertInto("questions")
        .values([shown, ...members].map(toRow))
        .execute();
      await this.#announce(db, shown);
    });
  }

  /**
   * Moves a question on, only from the state `from`; false: it was not in that state, because somebody was faster. Those
   * of its batch that are in the same state move with it.
   */
  move(
    id: string,
    from: QuestionRecord["state"],
    change: Partial<Pick<QuestionRecord, "state" | "answer" | "answeredAt" | "settlement">>,
  ): Promise<boolean> {
    return this.#database.transact(async (db) => {
      const result = await db
        .updateTable("questions")
        .set({ ...toChange(change), id })
        .where("id", "=", id)
        .where("state", "=", from)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return false;
      const state = change.state ?? from;
      await this.#announce(db, { id, state });
      for (const member of await membersOf(db, id, from)) {
        await db
          .updateTable("questions")
          .set({ ...toChange(change), id: member })
          .where("id", "=", member)
          .execute();
        await this.#announce(db, { id: member, state });
      }
      return true;
    });
  }

  /** Until it expires, a question may be answered and its answer used. */
  prune(before: number, limit: number): Promise<number> {
    return this.#records.prune("expiresAt", before, limit);
  }

  #announce(db: Transaction<Rows>, moved: MovedQuestion): Promise<void> {
    return this.#database.dialect.sharing.tellOfQuestion(db as never, moved);
  }
}

/** The same as `visibleState`, in SQL. */
function isVisibly(
  is: ExpressionBuilder<Rows, "questions">,
  { state, now }: NonNullable<QuestionFilter["visible"]>,
): ExpressionWrapper<Rows, "questions", SqlBool> {
  switch (state) {
    case "pending":
      return is.and([is("state", "=", "pending"), is("expiresAt", ">", now)]);
    case "expired":
      return is.and([is("state", "=", "pending"), is("expiresAt", "<=", now)]);
    case "settled":
      return is.or([is("state", "!=", "pending"), is("expiresAt", "<=", now)]);
    case "used":
      return is.and([is("state", "=", "used"), is("answer", "is not", null)]);
    case "dismissed":
      return is.or([
        is("state", "=", "dismissed"),
        is.and([is("state", "=", "used"), is("answer", "is", null)]),
      ]);
    case "answered":
      return is.and([is("state", "=", "answered")]);
  }
}

async function membersOf(db: Kysely<Rows>, id: string, state: QuestionRecord["state"]): Promise<string[]> {
  const rows = await db
    .selectFrom("questions")
    .select("id")
    .where("batchId", "=", id)
    .where("state", "=", state)
    .execute();
  return rows.map((row) => row.id);
}

async function findOpen(db: Kysely<Rows>, digest: string, now: number): Promise<QuestionRecord | undefined> {
  const row = await db
    .selectFrom("questions")
    .selectAll()
    .where("digest", "=", digest)
    .where("state", "in", OPEN)
    .where("expiresAt", ">", now)
    .orderBy("createdAt")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && toRecord(row);
}

export interface NotificationFilter extends NewestBefore {
  /** True: dismissed ones, too; `only`: no others. */
  readonly dismissed?: boolean | "only" | undefined;
  /** Only those whose ids begin with this. */
  readonly idPrefix?: string | undefined;
}

export class NotificationTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof notifications>;
  readonly #codec = codecOf(notifications);

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, notifications);
  }

  /** Newest last; at most 500. */
  async list({
    dismissed = false,
    idPrefix,
    before,
    limit,
  }: NotificationFilter = {}): Promise<NotificationRecord[]> {
    const newestFirst = await this.#database.query((db) =>
      db
        .selectFrom("notifications")
        .selectAll()
        .$if(!dismissed, (query) => query.where("dismissedAt", "is", null))
        .$if(dismissed === "only", (query) => query.where("dismissedAt", "is not", null))
        .$if(idPrefix !== undefined, (query) =>
          query.where(sql<string>`substr(id, 1, ${idPrefix!.length})`, "=", idPrefix!),
        )
        .$call((query) => newestBefore(query, { before, limit }))
        .execute(),
    );
    return newestFirst.reverse().map(this.#codec.toRecord);
  }

  async create(created: NotificationRecord): Promise<void> {
    await this.#records.insert(created);
  }

  /** Throws NOT_FOUND. */
  async dismiss(id: string, at: number): Promise<void> {
    mustAffect(BigInt(await this.#records.update({ id }, { dismissedAt: at })), `notification ${id}`);
  }

  /** Only dismissed notifications are removed. */
  prune(before: number, limit: number): Promise<number> {
    return this.#records.prune("dismissedAt", before, limit);
  }
}
