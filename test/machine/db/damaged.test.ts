import { copyFile, mkdir, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { expect, test } from "vitest";
import { ToolkeepError } from "../../../src/contract/errors.ts";
import { openHomeStore as openStore } from "../../../src/features.ts";
import { connect } from "../../../src/machine/db/database.ts";
import { postgresDialect } from "../../../src/machine/db/postgres/dialect.ts";
import { openDatabaseSync, sqliteCode } from "../../../src/machine/db/sqlite/database-sync.ts";
import { sqliteDialect } from "../../../src/machine/db/sqlite/dialect.ts";
import type { Store } from "../../../src/machine/db/store.ts";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { accessTables } from "../../support/access-tables.ts";
import { Dice } from "../../support/dice.ts";
import { putEmptyStore } from "../../support/store-template.ts";
import { tempHome } from "../../support/temp-home.ts";
import { trustStores } from "../../support/trust-stores.ts";
import { agent } from "./records.ts";

const PAGE = 4096;
const RUNS = 90;

/** What a bad disk, a broken copy or a crash of the machine leaves of a page. */
const DAMAGES: readonly ((page: Buffer, dice: Dice) => void)[] = [
  (page) => page.fill(0),
  (page) => page.fill(255),
  (page) => page.fill("not what was written "),
  (page) => page.fill(7, 0, 8),
  (page) => page.fill(3, 8, 64),
  (page, dice) => {
    for (let n = 0; n < 40; n++) page[dice.below(PAGE)] = dice.below(256);
  },
  (page, dice) => page.copyWithin(0, dice.below(PAGE)),
];

test("a damaged page of any kind is STORE_UNAVAILABLE with what to do, wherever it is met", async () => {
  await using temp = await tempHome();
  const whole = join(temp.path, "whole.db");
  await fill(join(temp.path, "home"), whole);
  const pages = (await stat(whole)).size / PAGE;
  const dice = new Dice(19);
  let refused = 0;

  for (let run = 0; run < RUNS; run++) {
    const home = join(temp.path, `damaged ${run}`);
    await mkdir(home);
    // The first pages are in every run's reach: the schema lies there.
    const page = run % 3 === 0 ? dice.below(12) : dice.below(pages);
    await damage(whole, join(home, "toolkeep.db"), page, (bytes) => dice.one(DAMAGES)(bytes, dice));
    for (const error of await use(home)) {
      const { message } = error as Error;
      expect(error, message).toBeInstanceOf(ToolkeepError);
      expect(error, message).toMatchObject({ code: "STORE_UNAVAILABLE" });
      expect((error as ToolkeepError).remedy).toContain("toolkeep restore");
      refused++;
    }
    await rm(home, { recursive: true });
  }
  expect(refused).toBeGreaterThan(RUNS / 4);
}, 120_000);

test("a row that cannot be read is STORE_UNAVAILABLE and names the column", async () => {
  await using home = await tempHome();
  await fill(home.path, join(home.path, "copy.db"));
  const raw = await openDatabaseSync(join(home.path, "toolkeep.db"));
  raw.exec(`update agents set toolboxes = '{"broken'`);
  raw.close();
  const store = await openStore({ home: home.path, databaseUrl: null, clock: Date.now });
  await expect(accessTables(store).agents.list()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringContaining("toolboxes"),
  });
  await store.close();
});

test("an index of knowledge that is damaged may be deleted", async () => {
  await using home = await tempHome();
  const file = join(home.path, "knowledge.db");
  await damage(import.meta.filename, file, 0, () => {});
  await expect(sqliteDialect(file)).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    remedy: expect.stringContaining("delete the file"),
  });
});

test("SQLite's result codes are told apart, with their number or by their sentence alone", async () => {
  await using home = await tempHome();
  const dialect = await sqliteDialect(join(home.path, "toolkeep.db"));
  const withCode = (errcode: number) => dialect.classify(Object.assign(new Error("x"), { errcode }));
  const worded = (message: string) => dialect.classify(new Error(message));
  // PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR (and a read that was cut short), FULL, CANTOPEN, PROTOCOL.
  for (const code of [3, 5, 6, 7, 8, 10, 522, 13, 14, 15])
    expect(withCode(code), `${code}`).toBe("unavailable");
  // CORRUPT (and of an index), NOTADB.
  for (const code of [11, 779, 26]) expect(withCode(code), `${code}`).toBe("damaged");
  expect(withCode(1)).toBe("bug");
  expect(worded("database disk image is malformed")).toBe("damaged");
  expect(worded("file is not a database")).toBe("damaged");
  expect(worded("disk I/O error")).toBe("unavailable");
  expect(worded("database or disk is full")).toBe("unavailable");
  expect(worded("UNIQUE constraint failed: agents.name")).toBe("unique");
  expect(worded("cannot read properties of undefined")).toBe("bug");
  expect(sqliteCode("database disk image is malformed")).toBeUndefined();
  await connect(dialect).close();
});

test("a wait for another process also works where rows are read", async () => {
  await using home = await tempHome();
  const database = connect(await sqliteDialect(join(home.path, "toolkeep.db")));
  await database.query((db) => sql`create table t (x integer)`.execute(db));
  const other = await openDatabaseSync(join(home.path, "toolkeep.db"));
  other.exec("begin immediate");
  const writing = database.query((db) => sql`insert into t values (1) returning x`.execute(db));
  await new Promise((resolve) => setTimeout(resolve, 50));
  other.exec("commit");
  expect((await writing).rows).toEqual([{ x: 1 }]);
  other.close();
  await database.close();
});

test("PostgreSQL's classes are told apart", async () => {
  const dialect = postgresDialect("postgres://nobody@127.0.0.1:1/none");
  const classOf = (code: string) =>
    dialect.classify(Object.assign(new pg.DatabaseError("x", 1, "error"), { code }));
  for (const code of [
    "53100",
    "53200",
    "53300",
    "57P01",
    "57P02",
    "57P03",
    "58000",
    "58030",
    "08006",
    "25006",
    "55P03",
  ])
    expect(classOf(code), code).toBe("unavailable");
  for (const code of ["XX001", "XX002", "42P01"]) expect(classOf(code), code).toBe("damaged");
  expect(classOf("23505")).toBe("unique");
  expect(classOf("42601")).toBe("bug");
  await connect(dialect).close();
});

/** A store with rows on many pages, whole in one file. */
async function fill(home: string, file: string): Promise<void> {
  await mkdir(home, { recursive: true });
  await putEmptyStore(home);
  const store = await openStore({ home, databaseUrl: null, clock: Date.now });
  await accessTables(store).agents.create(agent("ada"));
  for (let n = 0; n < 60; n++) await notify(store, n);
  await store.close();
  await copyFile(join(home, "toolkeep.db"), file);
}

function notify(store: Store, n: number): Promise<unknown> {
  const body = "x".repeat(n * 40);
  return trustStores(store).notifications.create({
    ...{ id: `ntf_${n}`, agentId: null, level: "warning", title: `title ${n}`, body },
    ...{ createdAt: n, dismissedAt: null },
  });
}

async function damage(
  from: string,
  to: string,
  page: number,
  change: (bytes: Buffer) => unknown,
): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, "r+");
  const bytes = Buffer.alloc(PAGE);
  const { bytesRead } = await file.read(bytes, 0, PAGE, page * PAGE);
  change(bytes);
  await file.write(bytes, 0, bytesRead, page * PAGE);
  await file.close();
}

/** Everything that failed. */
async function use(home: string): Promise<unknown[]> {
  const failures: unknown[] = [];
  const note = (error: unknown) => void failures.push(error);
  const store = await openStore({ home, databaseUrl: null, clock: Date.now }).catch(note);
  if (!store) return failures;
  await store.dump().catch(note);
  await trustStores(store).notifications.list().catch(note);
  await accessTables(store).agents.list().catch(note);
  await openServerTables(store.database).servers.list().catch(note);
  await store.revision().catch(note);
  await accessTables(store).agents.create(agent("late")).catch(note);
  await notify(store, 1000).catch(note);
  await store.close().catch(note);
  return failures;
}
