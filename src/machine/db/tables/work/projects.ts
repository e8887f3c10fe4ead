import type { Kysely } from "kysely";
import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { insertUnlessFull } from "../../query/bounded-insert.ts";
import { bounded } from "../../query/page.ts";
import { changeRevised } from "../../query/revised.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import type { ProjectRecord, ProjectStore } from "./project-record.ts";

export function projectStore(database: Database): ProjectStore {
  return {
    async list({ status, ...page }) {
      const { limit, offset } = bounded(page);
      const matching = (db: Kysely<Schema>) =>
        db.selectFrom("projects").$if(status !== undefined, (query) => query.where("status", "=", status!));
      const [rows, { total }] = await Promise.all([
        database.query((db) => matching(db).selectAll().orderBy("key").limit(limit).offset(offset).execute()),
        database.query((db) =>
          matching(db)
            .select((select) => select.fn.countAll<number>().as("total"))
            .executeTakeFirstOrThrow(),
        ),
      ]);
      return { items: rows.map(toRecord), total };
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("projects").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async byKey(key) {
      const row = await database.query((db) =>
        db.selectFrom("projects").selectAll().where("key", "=", key).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    create(project, most = Number.POSITIVE_INFINITY) {
      const created = insertUnlessFull(database, { table: "projects" }, most, (db) =>
        db.insertInto("projects").values(toRow(project)).execute(),
      );
      return unlessTaken(`A project with the key ${project.key}`, created);
    },

    async update(id, change, revision) {
      const row = await changeRevised(database, "projects", id, toChange(change), revision);
      return row && toRecord(row);
    },

    async delete(id) {
      const { numDeletedRows } = await database.query((db) =>
        db.deleteFrom("projects").where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(numDeletedRows, `project ${id}`);
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<ProjectRecord, "projects">("projects");
