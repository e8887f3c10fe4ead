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
  if (!(error instanceof Error)) return undefined;
  const code = "errcode" in error ? error.errcode : codeOf(error.message);
  return typeof code === "number" ? { primary: code & 0xff, extended: code } : undefined;
}

/**
 * SQLite's own sentences. `@photostructure/sqlite` gives no code with what fails while rows are read, which is where a
 * damaged page is met.
 */
const SENTENCES: readonly (readonly [begins: string, code: number])[] = [
  ["access permission denied", 3],
  ["database is locked", 5],
  ["database table is locked", 6],
  ["database schema is locked", 6],
  ["out of memory", 7],
  ["attempt to write a readonly database", 8],
  ["disk I/O error", 10],
  ["database disk image is malformed", 11],
  ["malformed database schema", 11],
  ["database corruption", 11],
  ["database or disk is full", 13],
  ["unable to open database file", 14],
  ["locking protocol", 15],
  ["large file support is disabled", 22],
  ["file is not a database", 26],
  ["file is encrypted or is not a database", 26],
  ["UNIQUE constraint failed", 2067],
  ["FOREIGN KEY constraint failed", 787],
  ["NOT NULL constraint failed", 1299],
  ["no such table", 1],
  ["no such column", 1],
];

function codeOf(message: string): number | undefined {
  return SENTENCES.find(([begins]) => message.startsWith(begins))?.[1];
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
