import type { Migration } from "../../../../contract/define-table.ts";

/** Prefixed, because on PostgreSQL they are beside the tables of the store. */
export const indexTables: Migration = {
  name: "0001-index",
  async up(db, types) {
    await db.schema
      .createTable("knowledge_state")
      .addColumn("id", types.number, (column) => column.notNull())
      .addColumn("revision", types.number, (column) => column.notNull())
      .addColumn("next_source", types.number, (column) => column.notNull())
      .addColumn("next_entity", types.number, (column) => column.notNull())
      .addColumn("next_chunk", types.number, (column) => column.notNull())
      .addColumn("model", types.text)
      .addPrimaryKeyConstraint("knowledge_state_key", ["id"])
      .execute();
    await db
      .insertInto("knowledge_state")
      // From 1: 0 is no number of anything.
      .values({ id: 1, revision: 0, next_source: 1, next_entity: 1, next_chunk: 1, model: null })
      .execute();
    await db.schema
      .createTable("knowledge_sources")
      .addColumn("no", types.rowNumber, (column) => column.notNull().primaryKey())
      .addColumn("source_id", types.text, (column) => column.notNull().unique())
      .addColumn("forgotten", types.flag, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("knowledge_entities")
      .addColumn("no", types.rowNumber, (column) => column.notNull().primaryKey())
      .addColumn("id", types.text, (column) => column.notNull().unique())
      .addColumn("source_no", types.number, (column) => column.notNull())
      .addColumn("key", types.text, (column) => column.notNull())
      .addColumn("title", types.text, (column) => column.notNull())
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("tags", types.text, (column) => column.notNull())
      .addColumn("uri", types.text, (column) => column.notNull())
      .addColumn("document_at", types.number, (column) => column.notNull())
      .addColumn("metadata", types.text, (column) => column.notNull())
      .addColumn("modified_at", types.number, (column) => column.notNull())
      .addColumn("size", types.number, (column) => column.notNull())
      .addColumn("hash", types.text, (column) => column.notNull())
      .addColumn("first_chunk", types.number, (column) => column.notNull())
      .addColumn("chunk_count", types.number, (column) => column.notNull())
      .addColumn("lengths", types.bytes, (column) => column.notNull())
      .addColumn("indexed_at", types.number, (column) => column.notNull())
      .addColumn("gone_at", types.number)
      .addColumn("revision", types.number, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("knowledge_entities_by_key")
      .unique()
      .on("knowledge_entities")
      .columns(["source_no", "key"])
      .execute();
    await db.schema
      .createIndex("knowledge_entities_by_revision")
      .on("knowledge_entities")
      .columns(["revision", "no"])
      .execute();
    await db.schema
      .createTable("knowledge_chunks")
      .addColumn("no", types.rowNumber, (column) => column.notNull().primaryKey())
      .addColumn("entity_no", types.number, (column) => column.notNull())
      .addColumn("position", types.number, (column) => column.notNull())
      .addColumn("text", types.text, (column) => column.notNull())
      .addColumn("headings", types.text, (column) => column.notNull())
      .addColumn("start_at", types.number, (column) => column.notNull())
      .addColumn("end_at", types.number, (column) => column.notNull())
      .addColumn("hash", types.text, (column) => column.notNull())
      .execute();
    let postings = db.schema
      .createTable("knowledge_postings")
      .addColumn("term", types.text, (column) => column.notNull())
      .addColumn("block", types.number, (column) => column.notNull())
      .addColumn("data", types.bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint("knowledge_postings_key", ["term", "block"]);
    if (types.clustered) postings = postings.modifyEnd(types.clustered);
    await postings.execute();
    await db.schema
      .createTable("knowledge_vectors")
      .addColumn("chunk_no", types.rowNumber, (column) => column.notNull().primaryKey())
      .addColumn("vector", types.bytes, (column) => column.notNull())
      .addColumn("revision", types.number, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("knowledge_vectors_by_revision")
      .on("knowledge_vectors")
      .columns(["revision", "chunk_no"])
      .execute();
  },
};
