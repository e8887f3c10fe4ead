import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { connect, unavailable, withTables } from "../../../machine/db/database.ts";
import type { StoreDialect } from "../../../machine/db/dialect.ts";
import { isMigrated, type MigrationPath, migrate } from "../../../machine/db/migrate.ts";
import { sqliteDialect } from "../../../machine/db/sqlite/dialect.ts";
import { makeFolder } from "../../../machine/files/make-folder.ts";
import { indexReader } from "./index-reader.ts";
import type { IndexReader, IndexWriter } from "./index-store.ts";
import { indexWriter } from "./index-writer.ts";
import { KNOWLEDGE_MIGRATIONS } from "./migrations/index.ts";
import type { IndexDatabase } from "./schema.ts";

export interface IndexOptions {
  /** Created if missing, readable only by its user. */
  readonly home: string;
  /** PostgreSQL; null: the file `knowledge.db` in `home`. */
  readonly databaseUrl: string | null;
  readonly clock: Clock;
}

export interface KnowledgeIndex {
  readonly writer: IndexWriter;
  readonly reader: IndexReader;
  close(): Promise<void>;
}

const PATH: MigrationPath = { table: "knowledgeMigrations", steps: KNOWLEDGE_MIGRATIONS };
/** The number of connections that one thread needs. */
const CONNECTIONS = 2;
/**
 * Pages are large enough for a row of postings, and the cache holds many of them. A commit does not wait for the disk,
 * because the index can be rebuilt: after a power cut the last commits may be missing, but the rest is consistent.
 */
const PRAGMAS = `
  pragma busy_timeout = 5000;
  pragma page_size = 8192;
  pragma journal_mode = wal;
  pragma cache_size = -65536;
  pragma mmap_size = 4294967296;
  pragma synchronous = normal;
  pragma journal_size_limit = 67108864;
  pragma foreign_keys = on;
  pragma temp_store = memory;
  pragma busy_timeout = 0;
`;

/**
 * Opens the index and brings its tables up to date. SQLite queries block their thread, so use it only in
 * a separate thread. Throws STORE_UNAVAILABLE and STORE_NEWER. The caller has to close it.
 */
export async function openIndex(options: IndexOptions): Promise<KnowledgeIndex> {
  const database = connect(await openDialect(options));
  try {
    if (!(await isMigrated(database, PATH))) await migrate(database, options.clock, PATH);
  } catch (error) {
    await database.close();
    throw error;
  }
  const index: IndexDatabase = withTables(database);
  return { writer: indexWriter(index), reader: indexReader(index), close: () => index.close() };
}

async function openDialect({ home, databaseUrl }: IndexOptions): Promise<StoreDialect> {
  if (databaseUrl !== null) {
    const { postgresDialect } = await import("../../../machine/db/postgres/dialect.ts");
    return postgresDialect(databaseUrl, CONNECTIONS);
  }
  await makeFolder(home).catch((error) => {
    throw unavailable(error, home);
  });
  return sqliteDialect(join(home, "knowledge.db"), PRAGMAS);
}
