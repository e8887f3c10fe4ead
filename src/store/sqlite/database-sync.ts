/**
 * The part of `node:sqlite` that the store uses. Node 22.13 and later have it built in; on Node 20
 * `@photostructure/sqlite` brings the same interface.
 */
export interface DatabaseSync {
  exec(sql: string): void;
  prepare(sql: string): StatementSync;
  close(): void;
}

export interface StatementSync {
  all(...parameters: unknown[]): Record<string, unknown>[];
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  iterate(...parameters: unknown[]): IterableIterator<Record<string, unknown>>;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => DatabaseSync;
}

/** Opens a file, creating it where it is absent. */
export async function openDatabaseSync(path: string): Promise<DatabaseSync> {
  const sqlite = builtinSqlite() ?? ((await import("@photostructure/sqlite")) as unknown as SqliteModule);
  return new sqlite.DatabaseSync(path);
}

/** The primary result code of a failure of SQLite, and the extended one; undefined for any other error. */
export function sqliteCode(error: unknown): { primary: number; extended: number } | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? { primary: code & 0xff, extended: code } : undefined;
}

function builtinSqlite(): SqliteModule | undefined {
  // Loading it prints an ExperimentalWarning, which would land in the output of every command.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite") as SqliteModule | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
