import { type Database, mustAffect } from "./database.ts";
import { LIST_LIMIT } from "./limits.ts";
import { rowCodec } from "./row.ts";
import type { TaskRecord, TaskStore } from "./store.ts";

export function taskStore(database: Database): TaskStore {
  return {
    async list({ agentId } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("tasks")
          .selectAll()
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(LIST_LIMIT)
          .execute(),
      );
      return newestFirst.reverse().map(toRecord);
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async create(task) {
      await database.query((db) => db.insertInto("tasks").values(toRow(task)).execute());
    },

    async update(id, change) {
      const result = await database.query((db) =>
        db
          .updateTable("tasks")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .executeTakeFirst(),
      );
      mustAffect(result.numUpdatedRows, `task ${id}`);
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<TaskRecord, "tasks">("tasks");
