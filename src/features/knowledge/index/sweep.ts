import { sql, type Transaction } from "kysely";
import { createPace } from "../../../lib/flow/pace.ts";
import type { PostingsRow, SweepLimits, SweepStep } from "./index-store.ts";
import { keptPostings } from "./postings.ts";
import { lockIndex } from "./revision.ts";
import type { IndexDatabase, KnowledgeSchema } from "./schema.ts";

type Db = Transaction<KnowledgeSchema>;
type Sweep = KnowledgeSchema["knowledgeSweeps"];

export const SWEEP_LIMITS: SweepLimits = { leastDead: 1_000, rows: 500 };
/** The share of dead chunks, among those with postings, above which a sweep is worth it. */
const DEAD_SHARE = 0.25;
const ENTITIES_AT_ONCE = 2_000;

/**
 * Removes the postings of dead chunks from the index, a few rows at a time in key order. Each change also stores the position,
 * so that the next process can continue there. Chunk numbers are never reused: a dead chunk stays dead, and chunks written
 * during a sweep have higher numbers, which it ignores. Chunks that die during a sweep are left to the next one.
 */
export class IndexSweeper {
  readonly #database: IndexDatabase;
  /** The living chunks, for the current sweep. */
  #looked: { readonly sweep: Sweep; readonly alive: Uint8Array } | undefined;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  /** One bounded step; it changes whole rows or nothing. */
  async step({ leastDead, rows } = SWEEP_LIMITS): Promise<SweepStep> {
    const sweep = await this.#database.query((db) => underWay(db));
    if (!sweep) return this.#begin(leastDead);
    if (this.#looked && isSame(this.#looked.sweep, sweep)) return this.#sweepSome(this.#looked, rows);
    this.#looked = { sweep, alive: await aliveBefore(this.#database, sweep.chunkEnd) };
    return "begun";
  }

  async #begin(leastDead: number): Promise<SweepStep> {
    const state = await this.#database.query((db) =>
      db
        .selectFrom("knowledgeState")
        .select(["nextChunk", "goneChunks", "sweptChunks"])
        .executeTakeFirstOrThrow(),
    );
    const { nextChunk: chunkEnd, goneChunks, sweptChunks } = state;
    const dead = goneChunks - sweptChunks;
    if (dead < leastDead || dead <= DEAD_SHARE * (chunkEnd - 1 - sweptChunks)) return "nothing";
    const alive = await aliveBefore(this.#database, chunkEnd);
    const gone = chunkEnd - 1 - alive.reduce((sum, one) => sum + one, 0);
    const sweep = { chunkEnd, gone, term: "", block: -1 };
    this.#looked = { sweep, alive };
    await this.#database.transact(async (db) => {
      await lockIndex(db);
      if (!(await underWay(db))) await db.insertInto("knowledgeSweeps").values(sweep).execute();
    });
    return "begun";
  }

  #sweepSome(
    { sweep, alive }: { readonly sweep: Sweep; readonly alive: Uint8Array },
    limit: number,
  ): Promise<SweepStep> {
    return this.#database.transact(async (db) => {
      await lockIndex(db);
      const now = await underWay(db);
      // Another process has ended the sweep, or begun another one.
      if (!now || !isSame(sweep, now)) return "swept";
      const rows = await db
        .selectFrom("knowledgePostings")
        .selectAll()
        .where(sql<boolean>`(term, block) > (${now.term}, ${now.block})`)
        .orderBy("term")
        .orderBy("block")
        .limit(limit)
        .execute();
      await rewrite(db, rows, (chunkNo) => chunkNo >= alive.length || alive[chunkNo] === 1);
      if (rows.length === limit) {
        const { term, block } = rows.at(-1)!;
        await db.updateTable("knowledgeSweeps").set({ term, block }).execute();
        return "swept";
      }
      await db.deleteFrom("knowledgeSweeps").execute();
      await db.updateTable("knowledgeState").set({ sweptChunks: now.gone }).execute();
      this.#looked = undefined;
      return "ended";
    });
  }
}

function underWay(db: Pick<Db, "selectFrom">): Promise<Sweep | undefined> {
  return db.selectFrom("knowledgeSweeps").selectAll().executeTakeFirst();
}

/** If the same number of chunks is dead up to the same chunk, they are the same chunks. */
function isSame(a: Sweep, b: Sweep): boolean {
  return a.chunkEnd === b.chunkEnd && a.gone === b.gone;
}

/**
 * By chunk number: 1 if the chunk is alive. Read in parts, between which others may write. A chunk that stays alive also
 * stays with its entity, so it is never missed.
 */
async function aliveBefore(database: IndexDatabase, end: number): Promise<Uint8Array> {
  const alive = new Uint8Array(end);
  const pace = createPace();
  for (let after = 0; ; ) {
    const rows = await database.rows<{ no: number; first_chunk: number; chunk_count: number }>(sql`
      select no, first_chunk, chunk_count from knowledge_entities where no > ${after} order by no limit ${ENTITIES_AT_ONCE}`);
    for (const { first_chunk: first, chunk_count: count } of rows) alive.fill(1, first, first + count);
    if (rows.length < ENTITIES_AT_ONCE) return alive;
    after = rows.at(-1)!.no;
    await pace();
  }
}

/** Shortens rows and deletes empty ones. */
async function rewrite(
  db: Db,
  rows: readonly PostingsRow[],
  isAlive: (chunkNo: number) => boolean,
): Promise<void> {
  const shorter: PostingsRow[] = [];
  const empty: PostingsRow[] = [];
  for (const { term, block, data } of rows) {
    const kept = keptPostings(block, data, isAlive);
    if (kept.length < data.length) (kept.length === 0 ? empty : shorter).push({ term, block, data: kept });
  }
  if (empty.length > 0) {
    const keys = empty.map(({ term, block }) => sql`(cast(${term} as text), cast(${block} as bigint))`);
    await sql`delete from knowledge_postings where (term, block) in (values ${sql.join(keys)})`.execute(db);
  }
  if (shorter.length > 0)
    await db
      .insertInto("knowledgePostings")
      .values(shorter)
      .onConflict((conflict) =>
        conflict.columns(["term", "block"]).doUpdateSet((row) => ({ data: row.ref("excluded.data") })),
      )
      .execute();
}
