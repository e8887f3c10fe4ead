import { z } from "zod";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { count, type Infer, time } from "../../contract/shape.ts";
import { type Database, withTables } from "../../machine/db/database.ts";
import { LIST_LIMIT } from "../../machine/db/query/limits.ts";
import { codecOf } from "../../machine/db/query/row.ts";

/** A file that an agent handed to people. The copy is under `TOOLKEEP_HOME/attachments`. */
const attachment = z.object({
  id: z.string(),
  agentId: z.string(),
  conversation: z.string(),
  name: z.string(),
  mimeType: z.string(),
  bytes: count,
  path: z.string(),
  note: z.string(),
  createdAt: time,
});
export type AttachmentRecord = Infer<typeof attachment>;

export const attachments = defineTable({ name: "attachments", noun: "attachment", record: attachment });

export class AttachmentTable {
  readonly #database: Database<{ attachments: RowOf<typeof attachments> }>;
  readonly #codec = codecOf(attachments);

  constructor(database: Database) {
    this.#database = withTables(database);
  }

  /** Newest last; at most 500. */
  async list({ agentId }: { readonly agentId?: string } = {}): Promise<AttachmentRecord[]> {
    const newestFirst = await this.#database.query((db) =>
      db
        .selectFrom("attachments")
        .selectAll()
        .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(LIST_LIMIT)
        .execute(),
    );
    return newestFirst.reverse().map(this.#codec.toRecord);
  }

  async create(record: AttachmentRecord): Promise<void> {
    await this.#database.query((db) =>
      db.insertInto("attachments").values(this.#codec.toRow(record)).execute(),
    );
  }
}
