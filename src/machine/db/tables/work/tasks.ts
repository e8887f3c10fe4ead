import { type Database, mustAffect, mustBeIn } from "../../database.ts";
import { LIST_LIMIT } from "../../query/limits.ts";
import { newestBefore } from "../../query/newest-before.ts";
import { rowCodec } from "../../query/row.ts";
import { FINISHED_TASK, type TaskRecord, type TaskStore } from "../../store.ts";

export function taskStore(database: Database): TaskStore {
  return {
    async list({ agentId, unfinished = false } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("tasks")
          .selectAll()
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .$if(unfinished, (query) => query.where("status", "not in", FINISHED_TASK))
          .$call((query) => newestBefore(query))
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
      await database.transact(async (db) => {
        await db.insertInto("tasks").values(toRow(task)).execute();
        const older = db
          .selectFrom("tasks")
          .select("id")
          .where("agentId", "=", task.agentId)
          .$call((query) => newestBefore(query))
          .offset(LIST_LIMIT);
        await db.deleteFrom("tasks").where("id", "in", older).where("status", "in", FINISHED_TASK).execute();
      });
    },

    async update(id, change, status) {
      await database.transact(async (db) => {
        const result = await db
          .updateTable("tasks")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .$if(status !== undefined, (query) => query.where("status", "=", status!))
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) {
          const found = await db.selectFrom("tasks").select("status").where("id", "=", id).executeTakeFirst();
          mustBeIn(status, found?.status, `task ${id}`);
        }
        mustAffect(result.numUpdatedRows, `task ${id}`);
      });
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<TaskRecord, "tasks">("tasks");
