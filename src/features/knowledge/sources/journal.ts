import { lstatSync } from "node:fs";

/** Of a file: when it was written, and its bytes. */
export interface FileState {
  readonly modifiedAt: number;
  readonly size: number;
}

/** What SQLite has not yet put into the database itself; undefined: there is none. */
export function journalOf(
  database: string,
): { readonly path: string; readonly state: FileState } | undefined {
  const path = `${database}-wal`;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  return { path, state: { modifiedAt: Math.floor(stats.mtimeMs), size: stats.size } };
}

/** The state of a database with its journal: Firefox writes new bookmarks there, and leaves the file itself as it is for hours. */
export function withJournal(database: string, { modifiedAt, size }: FileState): FileState {
  const journal = journalOf(database)?.state;
  if (!journal) return { modifiedAt, size };
  return { modifiedAt: Math.max(modifiedAt, journal.modifiedAt), size: size + journal.size };
}
