import { sql } from "kysely";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, mustBeIn, withTables } from "../../machine/db/database.ts";
import { inChunks } from "../../machine/db/query/chunks.ts";
import { LIST_LIMIT } from "../../machine/db/query/limits.ts";
import { Records } from "../../machine/db/query/records.ts";
import { FINISHED, type MessageRecord, message, type TaskRecord, task } from "./contract.ts";

const tasks = defineTable({ name: "tasks", noun: "task", record: task });
const messages = defineTable({ name: "messages", noun: "message", record: message });

export const TABLES = [tasks, messages];

interface Rows {
  tasks: RowOf<typeof tasks>;
  messages: RowOf<typeof messages>;
}

const NEWEST_FIRST = ["-createdAt", "-id"] as const;
const MOST = { limit: LIST_LIMIT, offset: 0 };

/** Tasks, as they are kept. */
export class TaskTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof tasks>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, tasks);
  }

  /** Newest last; at most 500. */
  async list({
    agentId,
    unfinished = false,
  }: {
    agentId?: string;
    unfinished?: boolean;
  } = {}): Promise<TaskRecord[]> {
    const conditions = unfinished ? [sql<boolean>`status not in (${sql.join(FINISHED)})`] : [];
    const where = agentId === undefined ? {} : { agentId };
    const { items } = await this.#records.page(where, NEWEST_FIRST, MOST, conditions);
    return [...items].reverse();
  }

  get(id: string): Promise<TaskRecord | undefined> {
    return this.#records.find({ id });
  }

  /** Keeps only the newest 500 tasks of an agent, and all that are not finished. */
  async create(created: TaskRecord): Promise<void> {
    await this.#records.insertMade(async (db) => {
      await sql`delete from tasks where status in (${sql.join(FINISHED)}) and id in (
        select id from tasks where agent_id = ${created.agentId}
        order by created_at desc, id desc limit ${LIST_LIMIT} offset ${LIST_LIMIT - 1})`.execute(db);
      return created;
    });
  }

  /** With `status`: throws CHANGED where it is in another by now. */
  async update(
    id: string,
    change: Partial<Pick<TaskRecord, "title" | "status" | "note" | "updatedAt">>,
    status?: TaskRecord["status"],
  ): Promise<void> {
    await this.#database.transact(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable("tasks")
        .set({ ...change, id })
        .where("id", "=", id)
        .$if(status !== undefined, (query) => query.where("status", "=", status!))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) {
        const found = await db.selectFrom("tasks").select("status").where("id", "=", id).executeTakeFirst();
        mustBeIn(status, found?.status, `task ${id}`);
      }
      mustAffect(numUpdatedRows, `task ${id}`);
    });
  }
}

/** Reports of sub-agents, as they are kept. */
export class MessageTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof messages>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, messages);
  }

  /** Newest last; at most 500. */
  async list({
    toAgentId,
    unread = false,
  }: {
    toAgentId: string;
    unread?: boolean;
  }): Promise<MessageRecord[]> {
    const where = { toAgentId, ...(unread && { readAt: null }) };
    const { items } = await this.#records.page(where, NEWEST_FIRST, MOST);
    return [...items].reverse();
  }

  /** Keeps only the newest 500 messages to an agent, and all that are unread. */
  async create(created: MessageRecord): Promise<void> {
    await this.#records.insertMade(async (db) => {
      await sql`delete from messages where read_at is not null and id in (
        select id from messages where to_agent_id = ${created.toAgentId}
        order by created_at desc, id desc limit ${LIST_LIMIT} offset ${LIST_LIMIT - 1})`.execute(db);
      return created;
    });
  }

  /** The first reading counts. */
  async markRead(ids: readonly string[], at: number): Promise<void> {
    await this.#database.transact(async (db) => {
      for (const chunk of inChunks(ids))
        await db
          .updateTable("messages")
          .set({ readAt: at })
          .where("id", "in", chunk)
          .where("readAt", "is", null)
          .execute();
    });
  }
}
