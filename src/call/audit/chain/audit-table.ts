import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { createPace } from "../../../lib/flow/pace.ts";
import { type Database, mustBeIn, withTables } from "../../../machine/db/database.ts";
import { inChunks } from "../../../machine/db/query/chunks.ts";
import { CALL_LIST_LIMIT } from "../../../machine/db/query/limits.ts";
import { codecOf } from "../../../machine/db/query/row.ts";
import { writeCalls } from "../call-table.ts";
import type { AuditChain, AuditEntry, CallRecord } from "../contract.ts";
import { type AuditRows, auditChains, auditEntries, calls } from "../tables.ts";
import type { AuditStore, ChainPlace, EntryFilter } from "./audit-store.ts";

type AuditDatabase = Database<AuditRows>;

const MAX_KEYS = 100;
const MAX_CHAINS = 1_000;
const MAX_UNKNOWN = 100;
const CHAINED = ["calls", "auditEntries"] as const;

export function auditStore(given: Database): AuditStore {
  const database = withTables<AuditRows>(given);
  const write = writeCalls();

  return {
    async append({ chain, calls, entries }) {
      await database.transact(async (db) => {
        if (chain) await db.insertInto("auditChains").values(chains.toRow(chain)).execute();
        await insertEntries(db, entries);
        await write(db, calls);
      });
    },

    async chain(id) {
      const row = await database.query((db) =>
        db.selectFrom("auditChains").select(chainColumns(database)).where("id", "=", id).executeTakeFirst(),
      );
      return row && chains.toRecord(row as AuditRows["auditChains"]);
    },

    async chains(after) {
      const rows = await database.query((db) => listedChains(database, db, "asc", MAX_CHAINS, after));
      return rows.map(chains.toRecord);
    },

    async newestChains(limit) {
      const rows = await database.query((db) =>
        listedChains(database, db, "desc", Math.min(limit, MAX_CHAINS)),
      );
      return rows.map(chains.toRecord).reverse();
    },

    async tail(chain) {
      const last = await Promise.all(
        CHAINED.map((table) => database.query((db) => lastPlace(db, table, chain))),
      );
      return last.reduce((a, b) => (!a || (b && b.seq > a.seq) ? b : a));
    },

    async read(chain, after, limit) {
      return {
        calls: await database.rows(page<CallRecord>(database, "calls", chain, after, limit)),
        entries: await database.rows(page<AuditEntry>(database, "auditEntries", chain, after, limit)),
      };
    },

    async unknownChains() {
      const found = new Set<string>();
      for (const table of CHAINED)
        for (const name of await database.query((db) => strangers(db, table))) found.add(name);
      const ids = [...found].slice(0, MAX_UNKNOWN);
      const records = async (id: string) =>
        (await counted(database, "calls", id)) + (await counted(database, "auditEntries", id));
      return Promise.all(ids.map(async (id) => ({ id, records: await records(id) })));
    },

    async known(ids) {
      const found = new Set<string>();
      for (const chunk of inChunks(ids)) {
        const rows = await database.query((db) =>
          db
            .selectFrom("calls")
            .select("id")
            .where("id", "in", [...chunk])
            .where("chain", "is not", null)
            .execute(),
        );
        for (const { id } of rows) found.add(id);
      }
      return found;
    },

    async oldest() {
      const times = await database.query((db) =>
        db
          .selectFrom("calls")
          .select((select) => select.fn.min("startedAt").as("at"))
          .unionAll(db.selectFrom("auditEntries").select((select) => select.fn.min("at").as("at")))
          .execute(),
      );
      const known = times.flatMap(({ at }) => (at === null ? [] : [Number(at)]));
      return known.length === 0 ? undefined : Math.min(...known);
    },

    unchained: () => counted(database, "calls", null),

    async list(filter) {
      const rows = await database.query((db) => listed(db, filter));
      return rows.map(codec.toRecord);
    },

    async prune(chain, was) {
      await database.transact(async (db) => {
        const row = await db
          .selectFrom("auditChains")
          .select("prunedSeq")
          .where("id", "=", chain.id)
          .executeTakeFirst();
        mustBeIn(was, row?.prunedSeq, `audit chain ${chain.id}`);
        await db
          .updateTable("auditChains")
          .set(chains.toRow(chain))
          .where("id", "=", chain.id)
          .where("prunedSeq", "=", was)
          .execute();
        for (const table of CHAINED)
          await db
            .deleteFrom(table as "calls")
            .where("chain", "=", chain.id)
            .where("seq", "<=", chain.prunedSeq)
            .execute();
      });
    },

    async keys() {
      const rows = await database.query((db) =>
        db.selectFrom("auditKey").select(["id", "sealed"]).orderBy("id", "desc").limit(MAX_KEYS).execute(),
      );
      return rows.map(({ id, sealed }) => ({ id, sealed: new Uint8Array(sealed) })).reverse();
    },

    async addKey(key, at) {
      await database.query((db) =>
        db
          .insertInto("auditKey")
          .values({ ...key, createdAt: at })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
    },

    async replaceKey({ id, sealed }, was) {
      const { numUpdatedRows } = await database.query((db) =>
        db
          .updateTable("auditKey")
          .set({ sealed })
          .where("id", "=", id)
          .where("sealed", "=", was)
          .executeTakeFirst(),
      );
      return numUpdatedRows > 0n;
    },
  };
}

const chains = codecOf(auditChains);
const codec = codecOf(auditEntries);
const COLUMNS = { calls: calls.columns, auditEntries: auditEntries.columns };

function chainColumns({ dialect }: AuditDatabase) {
  const columns = Object.entries(auditChains.columns) as [keyof AuditChain, string][];
  return columns.map(([name, type]) => {
    const column = sql.ref(name);
    return (dialect.name === "sqlite" && type.startsWith("text") ? wholeText(column) : column).as(name);
  });
}

function listedChains(
  database: AuditDatabase,
  db: Kysely<AuditRows>,
  direction: "asc" | "desc",
  limit: number,
  after?: Pick<AuditChain, "createdAt" | "id">,
) {
  let query = db.selectFrom("auditChains").select(chainColumns(database));
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("createdAt", "id"), ">", tuple(after.createdAt, after.id)),
    );
  return query.orderBy("createdAt", direction).orderBy("id", direction).limit(limit).execute() as Promise<
    AuditRows["auditChains"][]
  >;
}

/** By hand, because a chain is read from its beginning to its end: these tables hold nothing but texts and numbers. */
function page<R>(
  { dialect }: AuditDatabase,
  table: (typeof CHAINED)[number],
  chain: string,
  after: number,
  limit: number,
) {
  const columns = Object.entries(COLUMNS[table]).map(([name, type]) => {
    const column = sql.ref(snake(name));
    return sql`${dialect.name === "sqlite" && type.startsWith("text") ? wholeText(column) : column} as ${sql.ref(name)}`;
  });
  return sql<R>`select ${sql.join(columns)} from ${sql.table(snake(table))}
    where chain = ${chain} and seq > ${after} order by seq limit ${limit}`;
}

/** SQLite gives a text up to the first U+0000 only, which we never write: with one, what is behind it must be seen, too. */
function wholeText(column: RawBuilder<unknown>) {
  return sql`case when instr(cast(${column} as blob), x'00') > 0 then 'U+0000 ' || hex(${column}) else ${column} end`;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function insertEntries(db: Transaction<AuditRows>, entries: readonly AuditEntry[]): Promise<void> {
  const pace = createPace();
  for (const chunk of inChunks(entries)) {
    await db.insertInto("auditEntries").values(chunk.map(codec.toRow)).execute();
    await pace();
  }
}

async function lastPlace(
  db: Kysely<AuditRows>,
  table: (typeof CHAINED)[number],
  chain: string,
): Promise<ChainPlace | undefined> {
  const row = await db
    .selectFrom(table as "auditEntries")
    .select(["seq", "mac"])
    .where("chain", "=", chain)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row;
}

/** Of calls also those that are in none. */
async function counted(database: AuditDatabase, table: (typeof CHAINED)[number], chain: string | null) {
  const row = await database.query((db) =>
    db
      .selectFrom(table as "calls")
      .select(sql<number | string>`count(*)`.as("count"))
      .where("chain", chain === null ? "is" : "=", chain)
      .executeTakeFirstOrThrow(),
  );
  return Number(row.count);
}

/** From one name to the next, along the index: there may be a million rows of each. */
async function strangers(db: Kysely<AuditRows>, table: (typeof CHAINED)[number]): Promise<string[]> {
  const found: string[] = [];
  for (let last = ""; found.length < MAX_UNKNOWN; ) {
    const row = await db
      .selectFrom(table as "auditEntries")
      .select("chain")
      .where("chain", ">", last)
      .orderBy("chain")
      .limit(1)
      .executeTakeFirst();
    if (!row) break;
    last = row.chain;
    const known = await db.selectFrom("auditChains").select("id").where("id", "=", last).executeTakeFirst();
    if (!known) found.push(last);
  }
  return found;
}

function listed(db: Kysely<AuditRows>, filter: EntryFilter) {
  const { kind, actor, subject, since, until, after, order = "newest" } = filter;
  const isNewest = order === "newest";
  const direction = isNewest ? "desc" : "asc";
  let query = db.selectFrom("auditEntries").selectAll();
  if (kind?.endsWith("*")) {
    const beginning = kind.slice(0, -1);
    query = query.where("kind", ">=", beginning).where("kind", "<", `${beginning}\u{10ffff}`);
  } else if (kind !== undefined) query = query.where("kind", "=", kind);
  if (actor !== undefined) query = query.where("actor", "=", actor);
  if (subject !== undefined) query = query.where("subject", "=", subject);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<=", until);
  if (after) {
    const sign = isNewest ? "<" : ">";
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("at", "chain", "seq"), sign, tuple(after.at, after.chain, after.seq)),
    );
  }
  return query
    .orderBy("at", direction)
    .orderBy("chain", direction)
    .orderBy("seq", direction)
    .limit(Math.min(Math.max(0, Math.trunc(filter.limit)), CALL_LIST_LIMIT))
    .execute();
}
