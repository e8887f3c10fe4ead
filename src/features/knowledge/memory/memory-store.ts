import { type Kysely, sql, type Transaction } from "kysely";
import { type Database, mustAffect, unlessTaken, withTables } from "../../../machine/db/database.ts";
import { inChunks } from "../../../machine/db/query/chunks.ts";
import { bounded } from "../../../machine/db/query/page.ts";
import { Records } from "../../../machine/db/query/records.ts";
import { codecOf } from "../../../machine/db/query/row.ts";
import type { MemoryContent, MemoryRecord, MemoryVersion } from "./contract.ts";
import { type MemoryRows, memories, memoryVersions } from "./tables.ts";

/** Selects memories. */
export interface MemoryFilter {
  /** Absent: all owners. */
  readonly agentId?: string;
  /** Leaves out memories that expired by then. */
  readonly at: number;
  /** Only memories without a label or with one of these; absent: all. */
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

/** How many versions are kept, of one memory and of one owner. */
export const VERSIONS_OF_MEMORY = 50;
export const VERSIONS_OF_OWNER = 10_000;

export interface MemoryStore {
  /** Newest first, at most 500. */
  list(filter: MemoryFilter & MemoryPage): Promise<MemoryRecord[]>;
  count(filter: MemoryFilter): Promise<number>;
  /** Also if it has expired, until it is removed. */
  get(id: string): Promise<MemoryRecord | undefined>;
  /** The same by key: at most one for each label. */
  byKey(agentId: string, key: string): Promise<MemoryRecord[]>;
  /** Those that exist, in no order. */
  among(ids: readonly string[]): Promise<MemoryRecord[]>;
  /** The revisions of all memories of an owner, to find out which copies are outdated. */
  revisions(agentId: string): Promise<{ id: string; revision: number }[]>;
  /**
   * False, and nothing is stored, if the owner already has `most` memories with the same label (or without one), also with
   * concurrent processes. Expired memories make room. Throws NAME_TAKEN if the owner has a memory with this key and label.
   */
  create(memory: MemoryRecord, most: number): Promise<boolean>;
  /** Raises the revision and keeps the old content as a version; resolves with the new record. */
  update(id: string, change: Partial<MemoryContent>, end: MemoryEnd): Promise<MemoryRecord>;
  /** Deletes the memory and keeps its content as a version. */
  retract(id: string, end: MemoryEnd): Promise<void>;
  /** The versions of a memory, newest first, without those that expired by `at`. */
  history(id: string, at: number): Promise<MemoryVersion[]>;
  /** Versions that ended because the memory was retracted, newest first, at most 500. */
  retracted(filter: MemoryFilter & MemoryPage): Promise<MemoryVersion[]>;
  /** Records a use; the revision stays. */
  touch(ids: readonly string[], at: number): Promise<void>;
  /** Deletes a memory and its versions; also the versions of a retracted memory. */
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
        selectMemories(db, filter)
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
        selectMemories(db, filter)
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
        const before = await lockMemory(database, db, id);
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
        const before = await lockMemory(database, db, id);
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
          .$if(labels !== undefined, (query) => query.where(hasVisibleLabel(labels!)))
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

function selectMemories(db: Kysely<MemoryRows>, { agentId, at, labels }: MemoryFilter) {
  return db
    .selectFrom("memories")
    .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", at)]))
    .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
    .$if(labels !== undefined, (query) => query.where(hasVisibleLabel(labels!)));
}

/** True for rows without a label or with one of these. Neither database accepts an empty list, and no label is empty. */
function hasVisibleLabel(labels: readonly string[]) {
  const label = sql.ref("label");
  return sql<boolean>`(${label} is null or ${label} in (${sql.join(labels.length === 0 ? [""] : labels)}))`;
}

async function find(db: Kysely<MemoryRows>, id: string): Promise<MemoryRecord | undefined> {
  const row = await db.selectFrom("memories").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toRecord(row);
}

/** Locks the memory until the transaction ends. */
async function lockMemory(
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

/** Also removes their versions. */
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
