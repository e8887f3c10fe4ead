import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { PersonRecord, PersonStore } from "./person-record.ts";

export function personStore(database: Database): PersonStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("people").selectAll().orderBy("name").execute(),
      );
      return rows.map(toRecord);
    },

    async create(person) {
      const created = database.change("people", (db) =>
        db.insertInto("people").values(toRow(person)).execute(),
      );
      await unlessTaken(`A person named "${person.name}"`, created);
    },

    async ensure(person) {
      await database.query((db) =>
        db
          .insertInto("people")
          .values(toRow(person))
          // No column is named: of two that do this at once, the later may meet the name before the id.
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
    },

    async update(id, change) {
      const updated = database.change("people", async (db) => {
        const result = await db
          .updateTable("people")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .executeTakeFirst();
        mustAffect(result.numUpdatedRows, `person ${id}`);
        if (!change.disabled) return;
        for (const table of ["sessions", "loginCodes"] as const)
          await db.deleteFrom(table).where("personId", "=", id).execute();
      });
      await unlessTaken(`A person named "${change.name}"`, updated);
    },

    async delete(id) {
      await database.change("people", async (db) => {
        // Sessions and codes follow by their references.
        const result = await db.deleteFrom("people").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `person ${id}`);
      });
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<PersonRecord, "people">("people");
