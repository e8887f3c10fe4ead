import { join } from "node:path";
import pg from "pg";
import { openDatabaseSync } from "../../src/machine/db/sqlite/database-sync.ts";

/** Every table, index and trigger of an SQLite file, as SQL, sorted, however it was broken into lines. */
export async function sqliteStructure(home: string, file: string): Promise<string> {
  const database = await openDatabaseSync(join(home, file));
  try {
    const rows = database
      .prepare(
        "select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type desc, name",
      )
      .all() as { sql: string }[];
    return rows.map(({ sql }) => `${asLines(sql)}\n`).join("");
  } finally {
    database.close();
  }
}

/** Columns, constraints, indexes, triggers, functions and sequences of the schema that the URL leads to, sorted. */
export async function postgresStructure(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: places } = await client.query("select current_schema() as name");
    const { rows } = await client.query(POSTGRES);
    return rows.map(({ line }) => `${line.replaceAll(`${places[0].name}.`, "")}\n`).join("");
  } finally {
    await client.end();
  }
}

/** One column or constraint a line. */
function asLines(sql: string): string {
  const flat = sql.replaceAll(/\s+/g, " ").trim();
  if (!/^create table/i.test(flat)) return flat;
  let depth = 0;
  return flat.replaceAll(/[(),]/g, (sign) => {
    if (sign === "(") return depth++ === 0 ? "(\n  " : sign;
    if (sign === ")") return --depth === 0 ? "\n)" : sign;
    return depth === 1 ? ",\n " : sign;
  });
}

const POSTGRES = `
  select line from (
    select 'column ' || table_name || '.' || column_name || ' ' || data_type
      || case when is_nullable = 'NO' then ' not null' else '' end
      || coalesce(' default ' || column_default, '')
      || case when is_identity = 'YES' then ' identity ' || identity_generation else '' end as line
    from information_schema.columns where table_schema = current_schema()
    union all
    select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = current_schema()::regnamespace and contype <> 'n'
    union all
    select 'index ' || indexdef from pg_indexes where schemaname = current_schema()
    union all
    select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal
    union all
    select 'function ' || regexp_replace(pg_get_functiondef(oid), '\\s+', ' ', 'g')
    from pg_proc where pronamespace = current_schema()::regnamespace
    union all
    select 'sequence ' || sequencename from pg_sequences where schemaname = current_schema()
  ) as lines order by line collate "C"`;
