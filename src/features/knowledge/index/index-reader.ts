import { sql } from "kysely";
import { inChunks } from "../../../machine/db/query/chunks.ts";
import type {
  ChunkVector,
  EntityChange,
  IndexReader,
  IndexState,
  NumberedChunk,
  PostingsRow,
  StoredEntity,
} from "./index-store.ts";
import type { IndexDatabase, KnowledgeSchema } from "./schema.ts";

/** Long lists are read as plain rows, because renaming columns would take longer than reading them. */
export function indexReader(database: IndexDatabase): IndexReader {
  return {
    async state() {
      const [row] = await database.rows<IndexState>(sql`select revision, model from knowledge_state`);
      return row!;
    },

    async sources() {
      const rows = await database.rows<{ no: number; source_id: string }>(
        sql`select no, source_id from knowledge_sources where forgotten = 0`,
      );
      return new Map(rows.map((row) => [row.no, row.source_id]));
    },

    async changedEntities({ revision, no }, limit) {
      const rows = await database.rows<ChangeRow>(sql`
        select no, source_no, type, tags, document_at, first_chunk, chunk_count, lengths, revision
        from knowledge_entities where (revision, no) > (${revision}, ${no}) order by revision, no limit ${limit}`);
      return rows.map(toChange);
    },

    async changedVectors({ revision, no }, limit) {
      return database.rows<ChunkVector & { readonly revision: number }>(sql`
        select chunk_no as no, vector, revision from knowledge_vectors
        where (revision, chunk_no) > (${revision}, ${no}) order by revision, chunk_no limit ${limit}`);
    },

    async postings(terms) {
      if (terms.length === 0) return [];
      return database.rows<PostingsRow>(
        sql`select term, block, data from knowledge_postings where term in (${sql.join(terms)})`,
      );
    },

    async postingsSizes(terms) {
      const sizes = new Map<string, number>();
      for (const some of inChunks(terms)) {
        const rows = await database.rows<{ term: string; bytes: number }>(sql`
          select term, sum(length(data)) as bytes from knowledge_postings
          where term in (${sql.join(some)}) group by term`);
        for (const { term, bytes } of rows) sizes.set(term, Number(bytes));
      }
      return sizes;
    },

    async termsFrom(prefix, limit) {
      const rows = await database.rows<{ term: string }>(sql`
        select distinct term from knowledge_postings
        where term >= ${prefix} and term < ${`${prefix}\u{10ffff}`} order by term limit ${limit}`);
      return rows.map(({ term }) => term);
    },

    async vectors(chunkNos) {
      const found: ChunkVector[] = [];
      for (const some of inChunks(chunkNos))
        found.push(
          ...(await database.rows<ChunkVector>(
            sql`select chunk_no as no, vector from knowledge_vectors where chunk_no in (${sql.join(some)})`,
          )),
        );
      return found;
    },

    async entities(nos) {
      const found: StoredEntity[] = [];
      for (const some of inChunks(nos)) {
        const rows = await database.query((db) => entities(db).where("entity.no", "in", some).execute());
        found.push(...rows.map(toEntity));
      }
      return found;
    },

    async entityById(id) {
      const row = await database.query((db) => entities(db).where("entity.id", "=", id).executeTakeFirst());
      return row && toEntity(row);
    },

    async chunks(nos) {
      const found: NumberedChunk[] = [];
      for (const some of inChunks(nos)) {
        const rows = await database.query((db) =>
          db.selectFrom("knowledgeChunks").selectAll().where("no", "in", some).execute(),
        );
        found.push(...rows.map(toChunk));
      }
      return found;
    },

    async chunksOf(entity, from, limit) {
      if (from >= entity.chunkCount) return [];
      const first = entity.firstChunk + from;
      const rows = await database.query((db) =>
        db
          .selectFrom("knowledgeChunks")
          .selectAll()
          .where("no", ">=", first)
          .where("no", "<", Math.min(first + limit, entity.firstChunk + entity.chunkCount))
          .orderBy("no")
          .execute(),
      );
      return rows.map(toChunk);
    },
  };
}

/** Existing entities of existing sources. */
function entities(db: Parameters<Parameters<IndexDatabase["query"]>[0]>[0]) {
  return db
    .selectFrom("knowledgeEntities as entity")
    .innerJoin("knowledgeSources as source", "source.no", "entity.sourceNo")
    .selectAll("entity")
    .select("source.sourceId")
    .where("goneAt", "is", null)
    .where("forgotten", "=", 0);
}

interface ChangeRow extends Pick<EntityChange, "no" | "type" | "lengths" | "revision"> {
  readonly source_no: number;
  readonly tags: string;
  readonly document_at: number;
  readonly first_chunk: number;
  readonly chunk_count: number;
}

function toChange(row: ChangeRow): EntityChange {
  return {
    no: row.no,
    sourceNo: row.source_no,
    type: row.type,
    tags: row.tags === "[]" ? [] : JSON.parse(row.tags),
    documentAt: row.document_at,
    firstChunk: row.first_chunk,
    chunkCount: row.chunk_count,
    lengths: row.lengths,
    revision: row.revision,
  };
}

function toEntity({
  sourceNo: _sourceNo,
  lengths: _lengths,
  revision: _revision,
  tags,
  metadata,
  ...row
}: KnowledgeSchema["knowledgeEntities"] & { sourceId: string }): StoredEntity {
  return { ...row, tags: JSON.parse(tags), metadata: JSON.parse(metadata) };
}

function toChunk(row: KnowledgeSchema["knowledgeChunks"]): NumberedChunk {
  const { no, entityNo, position: index, text, headings, startAt: start, endAt: end } = row;
  return { no, entityNo, index, text, headings: JSON.parse(headings), start, end };
}
