import pg from "pg";
import { describe, expect, inject, test } from "vitest";
import { watchedClient } from "../../../../src/machine/db/postgres/watched-client.ts";
import { inDeep } from "../../../support/length.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { stalling } from "../../../support/stalling.ts";

describe.runIf(hasPostgres())("a pool of watched connections", () => {
  test("gives up a statement that nothing comes back for, and goes on with another connection", async () => {
    await using line = await stalling(inject("postgresUrl")!);
    const pool = poolOf(line.url, watchedClient(1_000, 500));
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    line.stall();
    await expect(pool.query("select 1")).rejects.toThrow("no answer within 1500 ms");
    expect((await pool.query("select 2 as two")).rows).toEqual([{ two: 2 }]);
    await pool.end();
  });

  inDeep("lets a transaction take as long as it says itself, and no longer once it is over", async () => {
    const pool = poolOf(inject("postgresUrl")!, watchedClient(1_000, 500));
    const client = await pool.connect();
    await client.query("begin");
    await client.query("set local statement_timeout = 60000");
    await client.query("select pg_sleep(2)");
    await client.query("commit");
    await expect(client.query("select pg_sleep(30)")).rejects.toThrow("no answer within 1500 ms");
    client.release(true);
    await pool.end();
  });
});

function poolOf(url: string, Client: typeof pg.Client): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1, Client });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
