import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, inject, test } from "vitest";
import { systemClock } from "../../../../src/lib/clock.ts";
import { openStore } from "../../../../src/machine/db/open.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { freshSchema, hasPostgres } from "../../../support/postgres.ts";
import { agent } from "../records.ts";

const open = (databaseUrl: string) => openStore({ home: "", databaseUrl, clock: systemClock });

test("a server that cannot be reached is STORE_UNAVAILABLE, with the password masked", async () => {
  const port = await closedPort();
  const opening = open(`postgres://toolkeep:hunter22@127.0.0.1:${port}/db`);
  const error = await opening.then(() => undefined).catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringContaining(`postgres://toolkeep:***@127.0.0.1:${port}/db`),
  });
  expect(error.message).toContain("ECONNREFUSED");
  expect(error.message).not.toContain("hunter22");
});

test("an address that is none is STORE_UNAVAILABLE and is not repeated", async () => {
  const error = await open("postgres://toolkeep:hunter22@:bad:/").catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(error.message).not.toContain("hunter22");
});

describe.runIf(hasPostgres())("with a server", () => {
  test("a database that does not exist is STORE_UNAVAILABLE", async () => {
    const url = new URL(inject("postgresUrl")!);
    url.pathname = "/no_such_database";
    await expect(open(url.href)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("no_such_database"),
    });
  });

  test("cut connections are STORE_UNAVAILABLE, never end the process, and are replaced", async () => {
    const schema = await freshSchema();
    const name = `cut_${process.pid}`;
    const store = await open(`${schema.url}&application_name=${name}`);
    const writes = Promise.allSettled(
      Array.from({ length: 400 }, (_, index) => accessTables(store).agents.create(agent(`a${index}`))),
    );
    await cutConnections(name);
    const results = await writes;
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "STORE_UNAVAILABLE" });
    }
    const acknowledged = results.filter((result) => result.status === "fulfilled").length;
    expect((await accessTables(store).agents.list()).length).toBeGreaterThanOrEqual(acknowledged);
    await store.close();
    await schema.drop();
  });

  test("whole numbers come as numbers from our connections only", async () => {
    const schema = await freshSchema();
    const store = await open(schema.url);
    expect(typeof (await store.revision())).toBe("number");
    const client = new pg.Client({ connectionString: schema.url });
    await client.connect();
    expect((await client.query("select 1::int8 as value")).rows).toEqual([{ value: "1" }]);
    await client.end();
    await store.close();
    await schema.drop();
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Several times, at moments when some connections are in a transaction. */
async function cutConnections(applicationName: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl")! });
  await client.connect();
  for (let round = 0; round < 5; round++) {
    await sleep(20);
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
      applicationName,
    ]);
  }
  await client.end();
}
