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
  /** Made when absent, for its user only. */
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
/** As much as one thread needs. */
const CONNECTIONS = 2;
/**
 * Pages that hold a whole row of postings, and enough of them in memory. The index can be made anew, so a commit need not wait for the disk: after a power
 * cut the last ones may be missing, but what is there is whole.
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
 * Opens the index and brings its tables up to date. Queries of SQLite hold up the thread they are made in, so this is for threads of their own. Throws
 * STORE_UNAVAILABLE and STORE_NEWER. Whoever opens it closes it.
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
