import { lstatSync } from "node:fs";

/** The time and size of a file. */
export interface FileState {
  readonly modifiedAt: number;
  readonly size: number;
}

/** The journal of a SQLite database; undefined if there is none. */
export function journalOf(
  database: string,
): { readonly path: string; readonly state: FileState } | undefined {
  const path = `${database}-wal`;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  return { path, state: { modifiedAt: Math.floor(stats.mtimeMs), size: stats.size } };
}

/** The state of a database including its journal, because Firefox writes new bookmarks to the journal and may not touch the database for hours. */
export function withJournal(database: string, { modifiedAt, size }: FileState): FileState {
  const journal = journalOf(database)?.state;
  if (!journal) return { modifiedAt, size };
  return { modifiedAt: Math.max(modifiedAt, journal.modifiedAt), size: size + journal.size };
}
