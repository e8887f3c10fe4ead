import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../src/machine/db/open.ts";
import { openDatabaseSync } from "../../../src/machine/db/sqlite/database-sync.ts";
import { accessTables } from "../../support/access-tables.ts";
import { tempHome } from "../../support/temp-home.ts";
import { agent, NOW } from "./records.ts";

const clock = () => NOW;
const open = (home: string) => openStore({ home, databaseUrl: null, clock });
const mode = async (path: string) => (await stat(path)).mode & 0o777;

test("the home is made for its user only, and so is every file of the store", async () => {
  await using folder = await tempHome();
  const home = join(folder.path, "deep", "home");
  const store = await open(home);
  await accessTables(store).agents.create(agent("ada"));
  expect(await mode(home)).toBe(0o700);
  for (const file of ["toolkeep.db", "toolkeep.db-wal", "toolkeep.db-shm"]) {
    expect(await mode(join(home, file)), file).toBe(0o600);
  }
  await store.close();
});

test("a store file that others could read is closed to them", async () => {
  await using home = await tempHome();
  await (await open(home.path)).close();
  await chmod(join(home.path, "toolkeep.db"), 0o644);
  await (await open(home.path)).close();
  expect(await mode(join(home.path, "toolkeep.db"))).toBe(0o600);
});

test("what was written is there when the store is opened again", async () => {
  await using home = await tempHome();
  const first = await open(home.path);
  await accessTables(first).agents.create(agent("ada"));
  await first.close();
  const second = await open(home.path);
  expect(await accessTables(second).agents.list()).toEqual([agent("ada")]);
  await second.close();
});

test("a store that a later version wrote is refused and left alone", async () => {
  await using home = await tempHome();
  await (await open(home.path)).close();
  const database = await openDatabaseSync(join(home.path, "toolkeep.db"));
  database.exec("insert into migrations values (99, '0099-later', 0)");
  database.close();
  await expect(open(home.path)).rejects.toMatchObject({
    code: "STORE_NEWER",
    message: expect.stringContaining("version 99"),
  });
});

test("a home that is a file, or a store that is no database, is STORE_UNAVAILABLE and says which", async () => {
  await using home = await tempHome();
  const file = join(home.path, "file");
  await writeFile(file, "");
  await expect(open(file)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });

  const broken = join(home.path, "broken");
  await mkdir(broken);
  await writeFile(join(broken, "toolkeep.db"), "This is a letter, and by no means a database.".repeat(100));
  await expect(open(broken)).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringContaining(join(broken, "toolkeep.db")),
  });
});
