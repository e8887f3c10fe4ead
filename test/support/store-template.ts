import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openHomeStore as openStore } from "../../src/features.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openDatabaseSync } from "../../src/machine/db/sqlite/database-sync.ts";
import { tempHome } from "./temp-home.ts";

let template: Promise<Uint8Array> | undefined;

/**
 * Puts the file into a home that `openStore` would make there. To make it anew for each of thousands of tests, migration
 * by migration, was a quarter of the CPU of a run; what the migrations do has tests of its own.
 */
export async function putEmptyStore(home: string): Promise<void> {
  template ??= makeTemplate();
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "toolkeep.db"), await template, { mode: 0o600 });
}

/** A home with that file, which is removed when its scope ends. */
export async function homeWithStore(): Promise<{ path: string } & AsyncDisposable> {
  const home = await tempHome();
  await putEmptyStore(home.path);
  return home;
}

async function makeTemplate(): Promise<Uint8Array> {
  await using made = await tempHome();
  const store = await openStore({ home: made.path, databaseUrl: null, clock: systemClock });
  await store.close();
  const copy = join(made.path, "copy.db");
  const database = await openDatabaseSync(join(made.path, "toolkeep.db"));
  try {
    database.exec(`vacuum into '${copy}'`);
  } finally {
    database.close();
  }
  return readFile(copy);
}
