import type { Kysely } from "kysely";
import { type Database, mustAffect } from "../../database.ts";
import { insertUnlessFull } from "../../query/bounded-insert.ts";
import { bounded } from "../../query/page.ts";
import { changeRevised } from "../../query/revised.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import type { ProjectNoteRecord, ProjectNoteStore } from "./project-record.ts";

export function projectNoteStore(database: Database): ProjectNoteStore {
  return {
    async list(projectId, page) {
      const { limit, offset } = bounded(page);
      const ofProject = (db: Kysely<Schema>) =>
        db.selectFrom("projectNotes").where("projectId", "=", projectId);
      const [rows, { total }] = await Promise.all([
        database.query((db) =>
          ofProject(db)
            .selectAll()
            .orderBy("createdAt", "desc")
            .orderBy("id", "desc")
            .limit(limit)
            .offset(offset)
            .execute(),
        ),
        database.query((db) =>
          ofProject(db)
            .select((select) => select.fn.countAll<number>().as("total"))
            .executeTakeFirstOrThrow(),
        ),
      ]);
      return { items: rows.map(toRecord), total };
    },

    async get(projectId, id) {
      const row = await database.query((db) =>
        db
          .selectFrom("projectNotes")
          .selectAll()
          .where("projectId", "=", projectId)
          .where("id", "=", id)
          .executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    create: (note, most = Number.POSITIVE_INFINITY) =>
      insertUnlessFull(
        database,
        { table: "projectNotes", of: { column: "projectId", id: note.projectId } },
        most,
        (db) => db.insertInto("projectNotes").values(toRow(note)).execute(),
      ),

    async update(id, change, revision) {
      const row = await changeRevised(database, "projectNotes", id, toChange(change), revision);
      return row && toRecord(row);
    },

    async delete(id) {
      const { numDeletedRows } = await database.query((db) =>
        db.deleteFrom("projectNotes").where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(numDeletedRows, `note ${id}`);
    },

    async counts(projectIds) {
      if (projectIds.length === 0) return new Map();
      const rows = await database.query((db) =>
        db
          .selectFrom("projectNotes")
          .select((select) => ["projectId", select.fn.countAll<number>().as("count")])
          .where("projectId", "in", projectIds)
          .groupBy("projectId")
          .execute(),
      );
      return new Map(rows.map((row) => [row.projectId, row.count]));
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<ProjectNoteRecord, "projectNotes">("projectNotes");
