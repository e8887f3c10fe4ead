import { join } from "node:path";
import { openDatabaseSync } from "../../src/machine/db/sqlite/database-sync.ts";

/** What SQLite says about the store of a home: `["ok"]` when it is whole. */
export async function integrity(home: string): Promise<unknown[]> {
  const database = await openDatabaseSync(join(home, "toolkeep.db"));
  try {
    return database
      .prepare("pragma integrity_check")
      .all()
      .map((row) => row.integrity_check);
  } finally {
    database.close();
  }
}
