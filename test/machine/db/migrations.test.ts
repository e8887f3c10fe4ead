import { CamelCasePlugin, Kysely } from "kysely";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../src/features/knowledge/memory/memory-store.ts";
import { storePartsOf } from "../../../src/features/open-features.ts";
import { loadedFeatures, openHomeStore as openStore } from "../../../src/features.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { StoreDialect } from "../../../src/machine/db/dialect.ts";
import { MIGRATIONS } from "../../../src/machine/db/history/index.ts";
import { postgresDialect } from "../../../src/machine/db/postgres/dialect.ts";
import type { Column } from "../../../src/machine/db/schema.ts";
import { sqliteDialect } from "../../../src/machine/db/sqlite/dialect.ts";
import type { Store } from "../../../src/machine/db/store.ts";
import { allTables } from "../../../src/machine/db/store-part.ts";
import { embeddingStore } from "../../../src/machine/text/meaning/embeddings.ts";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { accessTables } from "../../support/access-tables.ts";
import { callTables } from "../../support/call-tables.ts";
import { freshSchema, hasPostgres, scopedSchema } from "../../support/postgres.ts";
import { taskStores } from "../../support/task-stores.ts";
import { tempHome } from "../../support/temp-home.ts";
import { trustStores } from "../../support/trust-stores.ts";
import { memory } from "./contract/memories.ts";
import { agent, NOW, server } from "./records.ts";

test("the migrations that exist keep their names and order", () => {
  expect(MIGRATIONS.map((migration) => migration.name)).toEqual([
    "0001-first-tables",
    "0002-server-offers",
    "0003-consents",
    "0004-replicas",
    "0005-scouts",
    "0006-projects",
    "0007-memories",
    "0008-custom-tools",
    "0009-plugins",
    "0010-outputs",
    "0011-embeddings",
    "0012-activations",
    "0013-tool-uses",
    "0014-people",
    "0015-audit-chain",
    "0016-approvals",
    "0017-secret-bindings",
    "0018-rules",
    "0019-labels",
    "0020-pins",
    "0021-answer-rules",
    "0022-tool-fingerprints",
    "0023-call-steps",
    "0024-sources",
    "0025-memory-history",
    "0026-content-labels",
    "0027-agent-seats",
    "0028-failed-servers",
  ]);
});

test("every table has a key", () => {
  const keyless = ALL_TABLES.filter(
    ({ key, columns }) => key.length === 0 || key.some((column) => !(column in columns)),
  );
  expect(keyless).toEqual([]);
});

test("the migrations lead to the tables that the code expects, on SQLite", async () => {
  await using home = await tempHome();
  await (await openStore({ home: home.path, databaseUrl: null, clock: systemClock })).close();
  expect(await tablesOf(await sqliteDialect(`${home.path}/toolkeep.db`))).toEqual(expected("sqlite"));
});

test("a store of version 1 keeps its data and gets what version 2 added, on SQLite", async () => {
  await using home = await tempHome();
  await writeVersion1(await sqliteDialect(`${home.path}/toolkeep.db`));
  await expectMigrated({ home: home.path, databaseUrl: null });
});

test("a store of version 4 keeps its data and gets what later versions added, on SQLite", async () => {
  await using home = await tempHome();
  await writeVersion4(await sqliteDialect(`${home.path}/toolkeep.db`));
  await expectVersion4Migrated({ home: home.path, databaseUrl: null });
});

test("a backup of version 4 is restored into a store of now", async () => {
  await using home = await tempHome();
  const store = await openStore({ home: home.path, databaseUrl: null, clock: systemClock });
  const tables = Object.fromEntries(
    Object.entries(ROWS_4).map(([table, row]) => [
      table,
      [Object.fromEntries(Object.entries(row).map(([column, value]) => [column, asDumped(value)]))],
    ]),
  );
  await store.load({ schemaVersion: 4, tables });
  await expectVersion4Data(store);
  await store.close();
});

describe.runIf(hasPostgres())("on PostgreSQL", () => {
  test("a store of version 4 keeps its data and gets what later versions added", async () => {
    await using schema = await scopedSchema();
    await writeVersion4(postgresDialect(schema.url));
    await expectVersion4Migrated({ home: "", databaseUrl: schema.url });
  });

  test("a store of version 1 keeps its data and gets what version 2 added", async () => {
    await using schema = await scopedSchema();
    await writeVersion1(postgresDialect(schema.url));
    await expectMigrated({ home: "", databaseUrl: schema.url });
  });

  test("the migrations lead to the tables that the code expects", async () => {
    const schema = await freshSchema();
    await (await openStore({ home: "", databaseUrl: schema.url, clock: systemClock })).close();
    const name = /search_path=(\w+)/.exec(decodeURIComponent(schema.url).replaceAll("+", " "))?.[1];
    expect(await tablesOf(postgresDialect(schema.url), name)).toEqual(expected("postgres"));
    await schema.drop();
  });

  test("replicas that start together on an empty database all open it", async () => {
    const schema = await freshSchema();
    const options = { home: "", databaseUrl: schema.url, clock: systemClock };
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(options)));
    expect(new Set(await Promise.all(stores.map((store) => store.revision()))).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
    await schema.drop();
  });
});

const {
  asksBack: _asksBack,
  auth: _auth,
  failedAt: _failedAt,
  ...SERVER_1
} = server("fs", { sealed: Uint8Array.of(1, 2, 255) });
const TOOL = { serverId: "srv_fs", originalName: "read", definition: { name: "read" } };

/** An agent, a task of it and a secret, as version 4 had them. */
const {
  scout: _scout,
  pins: _pins,
  model: _model,
  headless: _headless,
  localModel: _localModel,
  coordinator: _coordinator,
  ...AGENT_4
} = agent("ada", { grants: ["grep"], toolboxes: ["research"] });
const TASK_4 = { id: "tsk_1", agentId: "agt_ada", title: "Look", status: "blocked", note: "why", ...times() };
const SECRET_4 = { name: "KEY", sealed: Uint8Array.of(9, 255), ...times() };
const ROWS_4 = { agents: AGENT_4, tasks: TASK_4, secrets: SECRET_4 };

function times() {
  return { createdAt: NOW, updatedAt: NOW + 1 };
}

async function writeVersion4(dialect: StoreDialect): Promise<void> {
  const db = await openVersion(4, dialect);
  for (const [table, row] of Object.entries(ROWS_4)) {
    const stored = Object.entries(row).map(([column, value]) => [column, asStored(value)]);
    await db.insertInto(table).values(Object.fromEntries(stored)).execute();
  }
  await db.destroy();
}

async function expectVersion4Migrated(options: { home: string; databaseUrl: string | null }): Promise<void> {
  const store = await openStore({ ...options, clock: systemClock });
  await expectVersion4Data(store);
  const { id } = AGENT_4;
  await accessTables(store).agents.create(agent("spy", { parentId: id, scout: true }));
  await taskStores(store).tasks.create({
    ...TASK_4,
    id: "tsk_2",
    status: "open",
    instructions: "all",
    assignedBy: id,
  });
  await memoryStore(store.database).create(memory("mem_1", { agentId: id }), 10);
  const output = {
    id: "out_1",
    agentId: id,
    conversation: "c",
    chars: 3,
    bytes: 3,
    createdAt: NOW,
    labels: [],
  };
  await embeddingStore(store.database).put([
    { id: "emb_1", model: "m", vector: Uint8Array.of(255), usedAt: NOW },
  ]);
  expect(await embeddingStore(store.database).among(["emb_1"])).toHaveLength(1);
  await callTables(store).outputs.create(output, "abc");
  expect(await callTables(store).outputs.read("out_1", 0, 3)).toBe("abc");
  // What was made before and after is moved elsewhere alike.
  await store.load(await store.dump());
  expect(await accessTables(store).agents.byName("spy")).toMatchObject({ scout: true, parentId: id });
  expect(await taskStores(store).tasks.get("tsk_2")).toMatchObject({ instructions: "all", assignedBy: id });
  expect(await memoryStore(store.database).count({ agentId: id, at: NOW })).toBe(1);
  await store.close();
}

async function expectVersion4Data(store: Store): Promise<void> {
  const seats = { localModel: false, coordinator: false };
  const since = { pins: [], model: null, scout: false, headless: false, ...seats };
  expect(await accessTables(store).agents.byName("ada")).toEqual({ ...AGENT_4, ...since });
  expect(await taskStores(store).tasks.get("tsk_1")).toEqual({
    ...TASK_4,
    instructions: "",
    assignedBy: null,
  });
  expect(await trustStores(store).secrets.list()).toEqual([
    { ...SECRET_4, setBy: null, source: "value", bindings: null, earlier: null },
  ]);
}

function asDumped(value: unknown): unknown {
  return value instanceof Uint8Array ? { $base64: Buffer.from(value).toString("base64") } : asStored(value);
}

/** An empty database as that version made it. */
async function openVersion(version: number, dialect: StoreDialect) {
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of a time the types no longer know
  const db = new Kysely<any>({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  await db.schema
    .createTable("migrations")
    .addColumn("version", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("appliedAt", "bigint", (column) => column.notNull())
    .execute();
  for (const [index, { name, up }] of MIGRATIONS.slice(0, version).entries()) {
    await up(db, dialect.columnTypes);
    await db
      .insertInto("migrations")
      .values({ version: index + 1, name, appliedAt: 1 })
      .execute();
  }
  return db;
}

/** A store as the first release left it, with a server and a tool. */
async function writeVersion1(dialect: StoreDialect): Promise<void> {
  const db = await openVersion(1, dialect);
  const row = Object.entries(SERVER_1).map(([column, value]) => [column, asStored(value)]);
  await db.insertInto("servers").values(Object.fromEntries(row)).execute();
  await db
    .insertInto("serverTools")
    .values({ ...TOOL, position: 0, definition: JSON.stringify(TOOL.definition) })
    .execute();
  await db.destroy();
}

function asStored(value: unknown): unknown {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" ? JSON.stringify(value) : value;
}

async function expectMigrated(options: { home: string; databaseUrl: string | null }): Promise<void> {
  // Twice: the second opening finds nothing left to do.
  for (const _opening of [1, 2]) {
    const store = await openStore({ ...options, clock: systemClock });
    expect(await openServerTables(store.database).servers.list()).toEqual([
      { ...SERVER_1, asksBack: false, auth: null, failedAt: null },
    ]);
    expect(await openServerTables(store.database).servers.tools()).toEqual([TOOL]);
    expect(await openServerTables(store.database).servers.offers()).toEqual([]);
    await store.close();
  }
  const store = await openStore({ ...options, clock: systemClock });
  const offer = { serverId: "srv_fs", kind: "prompt", definition: { name: "review" } } as const;
  await openServerTables(store.database).servers.update("srv_fs", { asksBack: true, auth: Uint8Array.of(7) });
  await openServerTables(store.database).servers.replaceOffers("srv_fs", [offer]);
  expect(await openServerTables(store.database).servers.byName("fs")).toEqual({
    ...SERVER_1,
    asksBack: true,
    auth: Uint8Array.of(7),
    failedAt: null,
  });
  expect(await openServerTables(store.database).servers.offers()).toEqual([offer]);
  await openServerTables(store.database).servers.delete("srv_fs");
  expect(await openServerTables(store.database).servers.offers()).toEqual([]);
  await store.close();
}

const TYPES = {
  sqlite: { text: "TEXT", json: "TEXT", number: "bigint", flag: "INTEGER", bytes: "BLOB" },
  postgres: { text: "text", json: "text", number: "int8", flag: "int4", bytes: "bytea" },
};

const ALL_TABLES = allTables(storePartsOf(await loadedFeatures()));

function expected(dialect: keyof typeof TYPES): Record<string, Record<string, string>> {
  return Object.fromEntries(
    ALL_TABLES.map(({ name, columns }) => [
      name,
      Object.fromEntries(
        Object.entries(columns as Record<string, Column>).map(([column, kind]) => [column, typed(kind)]),
      ),
    ]),
  );

  function typed(kind: Column): string {
    const type = TYPES[dialect][kind.replace("?", "") as keyof (typeof TYPES)["sqlite"]].toLowerCase();
    return kind.endsWith("?") ? `${type}?` : type;
  }
}

async function tablesOf(
  dialect: StoreDialect,
  schema?: string,
): Promise<Record<string, Record<string, string>>> {
  const db = new Kysely({ dialect: dialect.kysely, plugins: [new CamelCasePlugin()] });
  const tables = await db.introspection.getTables();
  await db.destroy();
  return Object.fromEntries(
    tables
      .filter((table) => table.schema === schema && !["migrations", "revision"].includes(table.name))
      .map((table) => [
        camel(table.name),
        Object.fromEntries(
          table.columns.map((column) => [
            camel(column.name),
            column.dataType.toLowerCase() + (column.isNullable ? "?" : ""),
          ]),
        ),
      ]),
  );
}

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
