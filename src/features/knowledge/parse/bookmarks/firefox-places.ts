import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseSync, openDatabaseSync } from "../../../../machine/db/sqlite/database-sync.ts";
import { journalOf } from "../../sources/journal.ts";
import { timeOf, Unreadable } from "../parsed-document.ts";
import type { Bookmark } from "./bookmark.ts";

const MAX_ROWS = 1_000_000;
const MAX_DEPTH = 50;

interface Row {
  readonly id: number;
  readonly type: number;
  readonly parent: number;
  readonly title: string | null;
  readonly dateAdded: number | null;
  readonly url: string | null;
  readonly description: string | null;
}

/**
 * Bookmarks of Firefox' own database. It is copied first: Firefox keeps it locked, and nothing of it may be changed by looking. Throws
 * `Unreadable`.
 */
export async function firefoxBookmarks(path: string, maxBytes: number): Promise<Bookmark[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-places-"));
  try {
    const copy = join(folder, "places.sqlite");
    copyFileSync(path, copy);
    // The journal, which contains the latest changes.
    const journal = journalOf(path);
    if (journal && journal.state.size <= maxBytes) copyFileSync(journal.path, `${copy}-wal`);
    const database = await openDatabaseSync(copy);
    try {
      return readPlaces(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable("it is not the database of Firefox, or a broken one");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const BOOKMARK = 1;
const FOLDER = 2;

function readPlaces(database: DatabaseSync): Bookmark[] {
  const rows = database
    .prepare(
      `select b.id, b.type, b.parent, b.title, b.dateAdded, p.url, p.description
       from moz_bookmarks b left join moz_places p on p.id = b.fk order by b.id limit ${MAX_ROWS}`,
    )
    .all() as unknown as Row[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const tagRoot = rows.find(
    ({ type, title, parent }) => type === FOLDER && title === "tags" && (byId.get(parent)?.parent ?? 0) === 0,
  )?.id;
  const tags = new Map<string, string[]>();
  const bookmarks: Row[] = [];
  for (const row of rows) {
    if (row.type !== BOOKMARK || row.url === null) continue;
    const above = byId.get(row.parent);
    if (tagRoot !== undefined && above?.parent === tagRoot)
      tags.set(row.url, [...(tags.get(row.url) ?? []), above.title ?? ""]);
    else bookmarks.push(row);
  }
  return bookmarks.map((row) => ({
    url: row.url!,
    title: row.title ?? "",
    folders: foldersOf(row, byId),
    tags: tags.get(row.url!) ?? [],
    addedAt: row.dateAdded === null ? undefined : timeOf(row.dateAdded / 1_000),
    ...(row.description !== null && { note: row.description }),
  }));
}

/** The roots have names that only Firefox uses. */
function foldersOf(row: Row, byId: ReadonlyMap<number, Row>): string[] {
  const folders: string[] = [];
  for (
    let above = byId.get(row.parent);
    above && above.parent > 1 && folders.length < MAX_DEPTH;
    above = byId.get(above.parent)
  )
    if (above.title) folders.unshift(above.title);
  return folders;
}
