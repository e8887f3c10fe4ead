// A PostgreSQL of the benchmark's own.
import pg from "pg";
import { ensurePostgres } from "../../scripts/postgres.mjs";
import { startPostgres } from "../../scripts/postgres-server.mjs";

/** `schema(name)` makes an empty schema and gives its URL. */
export async function benchPostgres() {
  const found = ensurePostgres();
  if ("missing" in found) throw new Error(`There is no PostgreSQL to measure: ${found.missing}.`);
  const server = await startPostgres(found.bindir);
  return {
    async schema(name) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      await client.query(`create schema "${name}"`);
      await client.end();
      const url = new URL(server.url);
      url.searchParams.set("options", `-c search_path=${name}`);
      return url.href;
    },
    stop: () => server.stop(),
  };
}
