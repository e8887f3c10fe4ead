import { CamelCasePlugin, Kysely } from "kysely";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { StoreDialect } from "../../src/store/dialect.ts";
import { MIGRATIONS } from "../../src/store/migrations/index.ts";
import { openStore } from "../../src/store/open.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { type Column, KEYS, TABLES } from "../../src/store/schema.ts";
import { sqliteDialect } from "../../src/store/sqlite/dialect.ts";
import { freshSchema, hasPostgres } from "../support/postgres.ts";
import { tempHome } from "../support/temp-home.ts";

test("the migrations that exist keep their names and order", () => {
  expect(MIGRATIONS.map((migration) => migration.name)).toEqual(["0001-first-tables"]);
});

test("every table has a key", () => {
  expect(Object.keys(KEYS)).toEqual(Object.keys(TABLES));
});

test("the migrations lead to the tables that the code expects, on SQLite", async () => {
  await using home = await tempHome();
  await (await openStore({ home: home.path, databaseUrl: null, clock: systemClock })).close();
  expect(await tablesOf(await sqliteDialect(`${home.path}/toolkeep.db`))).toEqual(expected("sqlite"));
});

describe.runIf(hasPostgres())("on PostgreSQL", () => {
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

const TYPES = {
  sqlite: { text: "TEXT", json: "TEXT", number: "bigint", flag: "INTEGER", bytes: "BLOB" },
  postgres: { text: "text", json: "text", number: "int8", flag: "int4", bytes: "bytea" },
};

function expected(dialect: keyof typeof TYPES): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(TABLES).map(([table, columns]) => [
      table,
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
