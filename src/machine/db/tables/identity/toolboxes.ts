import { stableJson } from "../../../../lib/json.ts";
import { type Database, mustAffect, mustBeIn, unlessTaken } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { ToolboxRecord, ToolboxStore } from "../../store.ts";

export function toolboxStore(database: Database): ToolboxStore {
  const list: ToolboxStore["list"] = async () => {
    const rows = await database.query((db) =>
      db.selectFrom("toolboxes").selectAll().orderBy("name").execute(),
    );
    return rows.map(toRecord);
  };

  return {
    list,

    async byName(name) {
      const row = await database.query((db) =>
        db.selectFrom("toolboxes").selectAll().where("name", "=", name).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async create(toolbox) {
      const created = database.change("toolboxes", (db) =>
        db.insertInto("toolboxes").values(toRow(toolbox)).execute(),
      );
      await unlessTaken(`A toolbox named "${toolbox.name}"`, created);
    },

    async update(name, change, since) {
      await database.change("toolboxes", async (db) => {
        const result = await db
          .updateTable("toolboxes")
          .set({ ...toChange(change), name })
          .where("name", "=", name)
          .$if(since !== undefined, (query) => query.where("updatedAt", "=", since!))
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) {
          const found = await db
            .selectFrom("toolboxes")
            .select("updatedAt")
            .where("name", "=", name)
            .executeTakeFirst();
          mustBeIn(since, found?.updatedAt, `toolbox named "${name}"`);
        }
        mustAffect(result.numUpdatedRows, `toolbox named "${name}"`);
      });
    },

    async delete(name) {
      await database.change("toolboxes", async (db) => {
        const result = await db.deleteFrom("toolboxes").where("name", "=", name).executeTakeFirst();
        mustAffect(result.numDeletedRows, `toolbox named "${name}"`);
      });
    },

    async putBuiltin(toolboxes) {
      const stored = (await list()).filter((toolbox) => toolbox.builtin);
      // Written at every start: where nothing is new, no other process should have to look.
      if (fingerprint(stored) === fingerprint(toolboxes)) return;

      await database.change("toolboxes", async (db) => {
        const names = toolboxes.map((toolbox) => toolbox.name);
        await db
          .deleteFrom("toolboxes")
          .where("builtin", "=", 1)
          .$if(names.length > 0, (query) => query.where("name", "not in", names))
          .execute();
        for (const { createdAt, ...toolbox } of toolboxes) {
          await db
            .insertInto("toolboxes")
            .values(toRow({ ...toolbox, createdAt, builtin: true }))
            .onConflict((conflict) =>
              conflict.column("name").doUpdateSet(toChange({ ...toolbox, builtin: true })),
            )
            .execute();
        }
      });
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<ToolboxRecord, "toolboxes">("toolboxes");

/** What a built-in toolbox is, whenever it was written. */
function fingerprint(toolboxes: readonly ToolboxRecord[]): string {
  const contents = toolboxes.map(({ name, description, tools }) => ({ name, description, tools }));
  return stableJson(contents.sort((a, b) => (a.name < b.name ? -1 : 1)));
}
