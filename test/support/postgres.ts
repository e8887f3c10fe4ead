import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** Whether this run has a PostgreSQL; where not, the global setup has said why. */
export const hasPostgres = () => inject("postgresUrl") !== null;

/** An empty schema of the run's server, reached by its own URL, and gone after `drop`. */
export async function freshSchema(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = inject("postgresUrl");
  if (server === null) throw new Error("This run has no PostgreSQL.");
  const schema = `tk_${randomBytes(8).toString("hex")}`;
  await execute(server, `create schema ${schema}`);
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return { url: url.href, drop: () => execute(server, `drop schema ${schema} cascade`) };
}

/** The same, gone with its scope. */
export async function scopedSchema(): Promise<{ url: string } & AsyncDisposable> {
  const { url, drop } = await freshSchema();
  return { url, [Symbol.asyncDispose]: drop };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
