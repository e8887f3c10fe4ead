import { type Kysely, sql, type Transaction } from "kysely";
import { type Database, mustAffect, unlessTaken, withTables } from "../../../machine/db/database.ts";
import { inChunks } from "../../../machine/db/query/chunks.ts";
import { bounded } from "../../../machine/db/query/page.ts";
import { Records } from "../../../machine/db/query/records.ts";
import { codecOf } from "../../../machine/db/query/row.ts";
import type { MemoryContent, MemoryRecord, MemoryVersion } from "./contract.ts";
import { type MemoryRows, memories, memoryVersions } from "./tables.ts";

/** Which memories are meant. */
export interface MemoryFilter {
  /** Absent: of everybody. */
  readonly agentId?: string;
  /** What has expired by then is left out. */
  readonly at: number;
  /** What bears none of these labels is left out, unless it bears none at all; absent: nothing is. */
  readonly labels?: readonly string[];
}

export interface MemoryPage {
  readonly limit: number;
  readonly offset: number;
}

/** Who changes a memory, and when. */
export interface MemoryEnd {
  readonly at: number;
  readonly by: string | null;
}

/** How much of what memories said before is kept: of one memory, and of one owner. */
export const VERSIONS_OF_MEMORY = 50;
export const VERSIONS_OF_OWNER = 10_000;

export interface MemoryStore {
  /** Newest first, at most 500. */
  list(filter: MemoryFilter & MemoryPage): Promise<MemoryRecord[]>;
  count(filter: MemoryFilter): Promise<number>;
  /** Expired or not, as long as it was not removed. */
  get(id: string): Promise<MemoryRecord | undefined>;
  /** The same, by their key: of each label there is one. */
  byKey(agentId: string, key: string): Promise<MemoryRecord[]>;
  /** Those of the ids that exist, in no order. */
  among(ids: readonly string[]): Promise<MemoryRecord[]>;
  /** What an agent has, and in which revision: whoever holds some of it learns by this what to read again. */
  revisions(agentId: string): Promise<{ id: string; revision: number }[]>;
  /**
   * False, and nothing is kept, when the agent has `most` of its label already, or of none, whatever other processes create meanwhile; what has expired
   * makes room. Throws NAME_TAKEN where it has a memory of the key and label.
   */
  create(memory: MemoryRecord, most: number): Promise<boolean>;
  /** Raises the revision and keeps what it said before; resolves with what is kept now. */
  update(id: string, change: Partial<MemoryContent>, end: MemoryEnd): Promise<MemoryRecord>;
  /** It holds no more: it is gone, and what it said is kept among what was. */
  retract(id: string, end: MemoryEnd): Promise<void>;
  /** What a memory said before, newest first; without what has expired by `at`. */
  history(id: string, at: number): Promise<MemoryVersion[]>;
  /** What was taken back, newest first, at most 500. */
  retracted(filter: MemoryFilter & MemoryPage): Promise<MemoryVersion[]>;
  /** Notes a use; the revision stays. */
  touch(ids: readonly string[], at: number): Promise<void>;
  /** With what it said before; also that of one that was taken back. */
  delete(id: string): Promise<void>;
  /**
   * Deletes memories that expired before `before`, with their versions, and versions that did, at most `limit` of each;
   * resolves with how many memories that were.
   */
  prune(before: number, limit: number): Promise<number>;
  /** The same for versions that ended before `before`. */
  pruneVersions(before: number, limit: number): Promise<number>;
}

export function memoryStore(store: Database): MemoryStore {
  const database: Database<MemoryRows> = withTables(store);
  const records = new Records(store, memories);
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
      const insert = () => records.insert(memory, { most, among: { agentId, label } });
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

    prune: (before, limit) => pruneExpired(database, before, limit),

    pruneVersions: (before, limit) => new Records(store, memoryVersions).prune("endedAt", before, limit),
  };
}

async function pruneExpired(database: Database<MemoryRows>, before: number, limit: number): Promise<number> {
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

function chosen(db: Kysely<MemoryRows>, { agentId, at, labels }: MemoryFilter) {
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

async function find(db: Kysely<MemoryRows>, id: string): Promise<MemoryRecord | undefined> {
  const row = await db.selectFrom("memories").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toRecord(row);
}

/** As it is, until the transaction ends. */
async function locked(
  database: Database<MemoryRows>,
  db: Transaction<MemoryRows>,
  id: string,
): Promise<MemoryRecord> {
  await database.dialect.sharing.lock(db as never, `memory ${id}`);
  const memory = await find(db, id);
  mustAffect(memory ? 1n : 0n, `memory ${id}`);
  return memory!;
}

async function keepVersion(
  db: Transaction<MemoryRows>,
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

async function trimOwner(db: Transaction<MemoryRows>, agentId: string): Promise<void> {
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
function removeExpired(database: Database<MemoryRows>, agentId: string, at: number): Promise<number> {
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

const { toChange, toRecord } = codecOf(memories);
const { toRow: versionRow, toRecord: toVersion } = codecOf(memoryVersions);
