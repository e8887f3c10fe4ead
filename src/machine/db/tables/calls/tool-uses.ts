import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../database.ts";
import type { ToolUseStore } from "./tool-use-record.ts";

export function toolUseStore(database: Database): ToolUseStore {
  return {
    list: (agentId, limit) =>
      database.query((db) =>
        db
          .selectFrom("toolUses")
          .select(["agentId", "term", "tool", "count", "usedAt"])
          .where("agentId", "=", agentId)
          .orderBy("usedAt", "desc")
          .orderBy("id")
          .limit(limit)
          .execute(),
      ),

    async add(agentId, terms, tool, at, most) {
      const rows = terms.map((term) => {
        return { id: idOf(agentId, term, tool), agentId, term, tool, count: 1, usedAt: at };
      });
      if (rows.length === 0) return;
      await database.transact(async (db) => {
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
    },
  };
}

function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
