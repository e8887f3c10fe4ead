import { type Kysely, sql, type Transaction } from "kysely";
import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { insertUnlessFull } from "../../query/bounded-insert.ts";
import { bounded } from "../../query/page.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import { inChunks } from "./chunks.ts";
import {
  type MemoryEnd,
  type MemoryFilter,
  type MemoryRecord,
  type MemoryStore,
  type MemoryVersion,
  VERSIONS_OF_MEMORY,
  VERSIONS_OF_OWNER,
} from "./memory-record.ts";

export function memoryStore(database: Database): MemoryStore {
  return {
    async list({ limit, offset, ...filter }) {
      const page = bounded({ limit, offset });
      const rows = await database.query((db) =>
        chosen(db, filter)
          .selectAll()
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      );
      return rows.map(toRecord);
    },

    async count(filter) {
      const { count } = await database.query((db) =>
        chosen(db, filter)
          .select((select) => select.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow(),
      );
      return count;
    },

    get: (id) => database.query((db) => find(db, id)),

    async byKey(agentId, key) {
      const rows = await database.query((db) =>
        db
          .selectFrom("memories")
          .selectAll()
          .where("agentId", "=", agentId)
          .where("key", "=", key)
          .orderBy("id")
          .execute(),
      );
      return rows.map(toRecord);
    },

    async among(ids) {
      const found: MemoryRecord[] = [];
      for (const chunk of inChunks(ids)) {
        const rows = await database.query((db) =>
          db.selectFrom("memories").selectAll().where("id", "in", chunk).execute(),
        );
        found.push(...rows.map(toRecord));
      }
      return found;
    },

    revisions: (agentId) =>
      database.query((db) =>
        db.selectFrom("memories").select(["id", "revision"]).where("agentId", "=", agentId).execute(),
      ),

    async create(memory, most) {
      const { agentId, key, label, createdAt } = memory;
      const insert = () =>
        insertUnlessFull(
          database,
          {
            table: "memories",
            of: { column: "agentId", id: agentId, with: { column: "label", value: label } },
          },
          most,
          (db) => db.insertInto("memories").values(toRow(memory)).execute(),
        );
      const created = async () =>
        (await insert()) || ((await removeExpired(database, agentId, createdAt)) > 0 && (await insert()));
      return unlessTaken(`A memory of the key "${key}"`, created());
    },

    update: (id, change, end) =>
      database.transact(async (db) => {
        const before = await locked(database, db, id);
        await keepVersion(db, before, "superseded", end);
        await trimOwner(db, before.agentId);
        const row = await db
          .updateTable("memories")
          .set({ ...toChange(change), updatedAt: end.at, revision: sql<number>`revision + 1` })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toRecord(row);
      }),

    retract: (id, end) =>
      database.transact(async (db) => {
        const before = await locked(database, db, id);
        await keepVersion(db, before, "retracted", end);
        await db.deleteFrom("memories").where("id", "=", id).execute();
        await trimOwner(db, before.agentId);
      }),

    async history(id, at) {
      const rows = await database.query((db) =>
        db
          .selectFrom("memoryVersions")
          .selectAll()
          .where("memoryId", "=", id)
          .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", at)]))
          .orderBy("revision", "desc")
          .limit(VERSIONS_OF_MEMORY)
          .execute(),
      );
      return rows.map(toVersion);
    },

    async retracted({ limit, offset, agentId, at, labels }) {
      const page = bounded({ limit, offset });
      const rows = await database.query((db) =>
        db
          .selectFrom("memoryVersions")
          .selectAll()
          .where("reason", "=", "retracted")
          .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", at)]))
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .$if(labels !== undefined, (query) => query.where(bearsNoneBut(labels!)))
          .orderBy("endedAt", "desc")
          .orderBy("id", "desc")
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      );
      return rows.map(toVersion);
    },

    async touch(ids, at) {
      for (const chunk of inChunks(ids)) {
        await database.query((db) =>
          db.updateTable("memories").set({ lastUsedAt: at }).where("id", "in", chunk).execute(),
        );
      }
    },

    async delete(id) {
      const deleted = await database.transact(async (db) => {
        const versions = await db.deleteFrom("memoryVersions").where("memoryId", "=", id).executeTakeFirst();
        const memories = await db.deleteFrom("memories").where("id", "=", id).executeTakeFirst();
        return versions.numDeletedRows + memories.numDeletedRows;
      });
      mustAffect(deleted, `memory ${id}`);
    },
  };
}

/** Removes memories that expired before `before`, and what any said before that has; resolves with how many memories that was. */
export async function pruneMemories(database: Database, before: number, limit: number): Promise<number> {
  return database.transact(async (db) => {
    const expired = (table: "memories" | "memoryVersions") =>
      db.selectFrom(table).select("id").where("expiresAt", "<", before).orderBy("expiresAt").limit(limit);
    const due = (await expired("memories").execute()).map(({ id }) => id);
    const said = (await expired("memoryVersions").execute()).map(({ id }) => id);
    if (said.length > 0) await db.deleteFrom("memoryVersions").where("id", "in", said).execute();
    if (due.length === 0) return 0;
    await db.deleteFrom("memoryVersions").where("memoryId", "in", due).execute();
    const removed = await db
      .deleteFrom("memories")
      .where("id", "in", due)
      .where("expiresAt", "<", before)
      .executeTakeFirst();
    return Number(removed.numDeletedRows);
  });
}

function chosen(db: Kysely<Schema>, { agentId, at, labels }: MemoryFilter) {
  return db
    .selectFrom("memories")
    .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", at)]))
    .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
    .$if(labels !== undefined, (query) => query.where(bearsNoneBut(labels!)));
}

/** No label, or one of these. Neither database takes an empty list; no label is empty. */
function bearsNoneBut(labels: readonly string[]) {
  const label = sql.ref("label");
  return sql<boolean>`(${label} is null or ${label} in (${sql.join(labels.length === 0 ? [""] : labels)}))`;
}

async function find(db: Kysely<Schema>, id: string): Promise<MemoryRecord | undefined> {
  const row = await db.selectFrom("memories").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toRecord(row);
}

/** As it is, until the transaction ends. */
async function locked(database: Database, db: Transaction<Schema>, id: string): Promise<MemoryRecord> {
  await database.dialect.sharing.lock(db, `memory ${id}`);
  const memory = await find(db, id);
  mustAffect(memory ? 1n : 0n, `memory ${id}`);
  return memory!;
}

async function keepVersion(
  db: Transaction<Schema>,
  before: MemoryRecord,
  reason: MemoryVersion["reason"],
  { at, by }: MemoryEnd,
): Promise<void> {
  const { id, revision } = before;
  const version = { ...before, id: `${id}:${revision}`, memoryId: id, endedAt: at, reason, endedBy: by };
  await db.insertInto("memoryVersions").values(versionRow(version)).execute();
  await db
    .deleteFrom("memoryVersions")
    .where("memoryId", "=", id)
    .where("revision", "<=", revision - VERSIONS_OF_MEMORY)
    .execute();
}

async function trimOwner(db: Transaction<Schema>, agentId: string): Promise<void> {
  const last = await db
    .selectFrom("memoryVersions")
    .select("endedAt")
    .where("agentId", "=", agentId)
    .orderBy("endedAt", "desc")
    .offset(VERSIONS_OF_OWNER)
    .limit(1)
    .executeTakeFirst();
  if (!last) return;
  await db
    .deleteFrom("memoryVersions")
    .where("agentId", "=", agentId)
    .where("endedAt", "<=", last.endedAt)
    .execute();
}

/** With what they said before. */
function removeExpired(database: Database, agentId: string, at: number): Promise<number> {
  return database.transact(async (db) => {
    const expired = db
      .selectFrom("memories")
      .select("id")
      .where("agentId", "=", agentId)
      .where("expiresAt", "<=", at);
    await db.deleteFrom("memoryVersions").where("memoryId", "in", expired).execute();
    const { numDeletedRows } = await db.deleteFrom("memories").where("id", "in", expired).executeTakeFirst();
    return Number(numDeletedRows);
  });
}

const { toRow, toChange, toRecord } = rowCodec<MemoryRecord, "memories">("memories");
const { toRow: versionRow, toRecord: toVersion } = rowCodec<MemoryVersion, "memoryVersions">(
  "memoryVersions",
);
