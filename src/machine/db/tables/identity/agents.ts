import { type Database, mustAffect, mustBeIn, unlessTaken } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { AgentRecord, AgentStore } from "../../store.ts";

export function agentStore(database: Database): AgentStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("agents").selectAll().orderBy("name").execute(),
      );
      return rows.map(toRecord);
    },

    async byName(name) {
      const row = await database.query((db) =>
        db.selectFrom("agents").selectAll().where("name", "=", name).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async create(agent) {
      const created = database.change("agents", (db) =>
        db.insertInto("agents").values(toRow(agent)).execute(),
      );
      await unlessTaken(`An agent named "${agent.name}"`, created);
    },

    async update(id, change, since) {
      const updated = database.change("agents", async (db) => {
        const result = await db
          .updateTable("agents")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .$if(since !== undefined, (query) => query.where("updatedAt", "=", since!))
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) {
          const found = await db
            .selectFrom("agents")
            .select("updatedAt")
            .where("id", "=", id)
            .executeTakeFirst();
          mustBeIn(since, found?.updatedAt, `agent ${id}`);
        }
        mustAffect(result.numUpdatedRows, `agent ${id}`);
      });
      await unlessTaken(`An agent named "${change.name}"`, updated);
    },

    async delete(id) {
      await database.change("agents", async (db) => {
        // Its tokens, its activations and its sub-agents' parent links follow by their references.
        const result = await db.deleteFrom("agents").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `agent ${id}`);
        await db.deleteFrom("todos").where("agentId", "=", id).execute();
        await db.deleteFrom("memories").where("agentId", "=", id).execute();
        await db.deleteFrom("memoryVersions").where("agentId", "=", id).execute();
      });
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<AgentRecord, "agents">("agents");
