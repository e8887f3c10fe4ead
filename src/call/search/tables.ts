import { createHash } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { count, type Infer, time } from "../../contract/shape.ts";
import { type Database, withTables } from "../../machine/db/database.ts";

/** An agent called a tool that a search with this term had found. */
const toolUse = z.object({
  id: z.string(),
  agentId: z.string(),
  /** One word of a query, as it is compared. */
  term: z.string(),
  tool: z.string(),
  /** How often. */
  count,
  usedAt: time,
});
export type ToolUseRecord = Omit<Infer<typeof toolUse>, "id">;

export const toolUses = defineTable({ name: "toolUses", noun: "use of a tool", record: toolUse });

export class ToolUseTable {
  readonly #database: Database<{ toolUses: RowOf<typeof toolUses> }>;

  constructor(database: Database) {
    this.#database = withTables(database);
  }

  /** The uses of one agent, newest first; at most `limit`. */
  list(agentId: string, limit: number): Promise<ToolUseRecord[]> {
    return this.#database.query((db) =>
      db
        .selectFrom("toolUses")
        .select(["agentId", "term", "tool", "count", "usedAt"])
        .where("agentId", "=", agentId)
        .orderBy("usedAt", "desc")
        .orderBy("id")
        .limit(limit)
        .execute(),
    );
  }

  /** Counts one more use for each term. No more than `most` of the agent's stay; the oldest are deleted. */
  async add(
    agentId: string,
    terms: readonly string[],
    tool: string,
    at: number,
    most: number,
  ): Promise<void> {
    const rows = terms.map((term) => {
      return { id: idOf(agentId, term, tool), agentId, term, tool, count: 1, usedAt: at };
    });
    if (rows.length === 0) return;
    await this.#database.transact(async (db) => {
      await db
        .insertInto("toolUses")
        .values(rows)
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet({ count: sql<number>`tool_uses.count + 1`, usedAt: at }),
        )
        .execute();
      const beyond = await db
        .selectFrom("toolUses")
        .select("id")
        .where("agentId", "=", agentId)
        .orderBy("usedAt", "desc")
        .orderBy("id")
        .offset(most)
        .limit(rows.length)
        .execute();
      for (const { id } of beyond) await db.deleteFrom("toolUses").where("id", "=", id).execute();
    });
  }
}

function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
