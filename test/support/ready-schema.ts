import pg from "pg";
import { inject } from "vitest";
import { openIndex } from "../../src/features/knowledge/index/open-index.ts";
import { openHomeStore as openStore } from "../../src/features.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { freshSchema } from "./postgres.ts";

interface Ready {
  readonly url: string;
  /** The rows of each table that the migrations left. */
  readonly seeds: ReadonlyMap<string, string>;
  /** Stays connected: a new connection learns of each table anew, which took more CPU than most tests. */
  readonly pool: pg.Pool;
}

type Kind = "store" | "store and index";

const idle: Readonly<Record<Kind, Ready[]>> = { store: [], "store and index": [] };

/**
 * A schema with nothing in it but what the migrations leave, for one test that changes rows and no tables. To migrate one
 * for each test was near half of their CPU, and to copy a template database costs more, in files; so the next test gets
 * this one again, emptied. On a server that is not the run's own, one that is dropped.
 */
export async function readySchema(kind: Kind = "store"): Promise<{ url: string } & AsyncDisposable> {
  if (!inject("postgresIsOurs")) {
    const { url, drop } = await freshSchema();
    return { url, [Symbol.asyncDispose]: drop };
  }
  const ready = idle[kind].pop() ?? (await makeReady(kind));
  return {
    url: ready.url,
    async [Symbol.asyncDispose]() {
      await empty(ready);
      idle[kind].push(ready);
    },
  };
}

async function makeReady(kind: Kind): Promise<Ready> {
  const { url } = await freshSchema();
  const opened = { home: "", databaseUrl: url, clock: systemClock };
  await (await openStore(opened)).close();
  if (kind === "store and index") await (await openIndex(opened)).close();
  // The worker may end while it is connected, and so may the server.
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on("error", () => {});
  const seeds = new Map<string, string>();
  const { rows } = await pool.query("select tablename from pg_tables where schemaname = current_schema()");
  for (const { tablename } of rows) {
    const found = await pool.query(`select json_agg(t)::text as seed from "${tablename}" t`);
    if (found.rows[0].seed !== null) seeds.set(tablename, found.rows[0].seed);
  }
  return { url, seeds, pool };
}

/** Without triggers and foreign keys, in whatever order the tables come. */
const EMPTY = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = current_schema() loop
    execute format('delete from %I', name);
  end loop;
  for name in select sequencename from pg_sequences where schemaname = current_schema() loop
    execute format('alter sequence %I restart', name);
  end loop;
end $$`;

async function empty({ pool, seeds }: Ready): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(EMPTY);
    for (const [table, seed] of seeds)
      await client.query(
        `insert into "${table}" overriding system value select * from json_populate_recordset(null::"${table}", $1)`,
        [seed],
      );
    await client.query("commit");
  } finally {
    client.release();
  }
}
