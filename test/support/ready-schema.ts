import pg from "pg";
import { inject } from "vitest";
import { openHomeStore as openStore } from "../../src/features.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { freshSchema } from "./postgres.ts";

interface Ready {
  readonly url: string;
  /** The rows of each table that the migrations left. */
  readonly seeds: ReadonlyMap<string, string>;
}

const idle: Ready[] = [];

/**
 * A schema with nothing in it but what the migrations leave, for one test that changes rows and no tables. To migrate one
 * for each test was near half of their CPU, and to copy a template database costs more, in files; so the next test gets
 * this one again, emptied. On a server that is not the run's own, one that is dropped.
 */
export async function readySchema(): Promise<{ url: string } & AsyncDisposable> {
  if (!inject("postgresIsOurs")) {
    const { url, drop } = await freshSchema();
    return { url, [Symbol.asyncDispose]: drop };
  }
  const ready = idle.pop() ?? (await makeReady());
  return {
    url: ready.url,
    async [Symbol.asyncDispose]() {
      await empty(ready);
      idle.push(ready);
    },
  };
}

async function makeReady(): Promise<Ready> {
  const { url } = await freshSchema();
  const store = await openStore({ home: "", databaseUrl: url, clock: systemClock });
  await store.close();
  return connected(url, async (client) => {
    const seeds = new Map<string, string>();
    const { rows } = await client.query(
      "select tablename from pg_tables where schemaname = current_schema()",
    );
    for (const { tablename } of rows) {
      const found = await client.query(`select json_agg(t)::text as seed from "${tablename}" t`);
      if (found.rows[0].seed !== null) seeds.set(tablename, found.rows[0].seed);
    }
    return { url, seeds };
  });
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

function empty({ url, seeds }: Ready): Promise<void> {
  return connected(url, async (client) => {
    await client.query("set session_replication_role = replica");
    await client.query("begin");
    await client.query(EMPTY);
    for (const [table, seed] of seeds)
      await client.query(
        `insert into "${table}" overriding system value select * from json_populate_recordset(null::"${table}", $1)`,
        [seed],
      );
    await client.query("commit");
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
