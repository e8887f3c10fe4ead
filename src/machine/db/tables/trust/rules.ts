import { type Database, mustAffect } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { RuleRecord, RuleStore } from "./rule-record.ts";

const MAX_LISTED = 20_000;

export function ruleStore(database: Database): RuleStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("rules").selectAll().orderBy("createdAt").orderBy("id").limit(MAX_LISTED).execute(),
      );
      return rows.map(toRecord);
    },

    async create(rule) {
      await database.change("rules", (db) => db.insertInto("rules").values(toRow(rule)).execute());
    },

    async replace(rule) {
      const { id, ...change } = toRow(rule);
      const { numUpdatedRows } = await database.change("rules", (db) =>
        db.updateTable("rules").set(change).where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(numUpdatedRows, `rule ${rule.id}`);
    },

    async delete(id) {
      const { numDeletedRows } = await database.change("rules", (db) =>
        db.deleteFrom("rules").where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(numDeletedRows, `rule ${id}`);
    },
  };
}

const { toRow, toRecord } = rowCodec<RuleRecord, "rules">("rules");
