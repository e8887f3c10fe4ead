import { PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import pg from "pg";
import { type ErrorClass, type StoreDialect, storable } from "../dialect.ts";
import { maskedUrl } from "./masked-url.ts";
import { postgresSharing } from "./sharing.ts";
import { watchedClient } from "./watched-client.ts";

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** After so long without a word the system looks whether the other side is there. */
const KEEP_ALIVE_MS = 10_000;
/** How long a replica waits for another one to migrate. */
const MIGRATION_TIMEOUT_MS = 600_000;
/** Any number, as long as every toolkeep takes the same: "tool" in ASCII. */
const MIGRATION_LOCK = 0x746f6f6c;

/** A pool of connections, made on first use. */
export function postgresDialect(url: string, connections = MAX_CONNECTIONS): StoreDialect {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "toolkeep",
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    Client: watchedClient(STATEMENT_TIMEOUT_MS),
    types: { getTypeParser },
  });
  // A connection that breaks between two queries emits this event, which would end the process without a listener. The
  // next query reports it, and the pool replaces the connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));

  return {
    name: "postgres",
    location: maskedUrl(url),
    columnTypes: {
      ...{
        text: sql`text collate "C"`,
        bytes: "bytea",
        number: "bigint",
        flag: "integer",
        rowNumber: "bigint",
      },
      clustered: null,
    },
    kysely: {
      createDriver: () => new PostgresDriver({ pool }),
      createQueryCompiler: () => new StorablePostgresCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    async lockMigrations(transaction) {
      await sql`set local statement_timeout = ${sql.lit(MIGRATION_TIMEOUT_MS)}`.execute(transaction);
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    },
    sharing: postgresSharing(url, pool),
    classify,
  };
}

class StorablePostgresCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter));
  }
}

/** Whole numbers of 64 bits come as text, since they may not fit a double; times and counters do. Ours only, not `pg`'s. */
const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format?: "text") =>
  oid === pg.types.builtins.INT8
    ? Number
    : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;

const UNIQUE = "23505";
/** A foreign key without its row; a null where a value must be. */
const REFERENCE = ["23503", "23502"];
/** Connection lost, wrong login, no such database or schema, no permission, out of resources, shut down, read-only, locked. */
const UNAVAILABLE = /^(08|28|3D|3F|53|57|58|25006|42501|55P03|55006|72)/;
/** Data or an index is corrupted; a table or column that the schema has is not there, or is there already. */
const DAMAGED = /^(XX001|XX002|42P01|42703|42P07)$/;

function classify(error: unknown): ErrorClass {
  if (!(error instanceof Error)) return "bug";
  if (!(error instanceof pg.DatabaseError)) return isNetworkError(error) ? "unavailable" : "bug";
  const state = error.code ?? "";
  if (state === UNIQUE) return "unique";
  if (REFERENCE.includes(state)) return "reference";
  if (DAMAGED.test(state)) return "damaged";
  return UNAVAILABLE.test(state) ? "unavailable" : "bug";
}

/** True for errors that Node, its TLS or the pool throw before the server has answered. */
function isNetworkError(error: Error): boolean {
  return "code" in error || /connect|terminated|timeout|SASL/i.test(error.message);
}
