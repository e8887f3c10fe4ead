import { inject } from "vitest";
import { openHomeStore as openStore } from "../../../src/features.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Store } from "../../../src/machine/db/store.ts";
import { readySchema } from "../../support/ready-schema.ts";
import { putEmptyStore } from "../../support/store-template.ts";
import { tempHome } from "../../support/temp-home.ts";

/** An empty store, and further openings of the same data; everything ends with its scope. */
export interface TestStore extends AsyncDisposable {
  readonly store: Store;
  /** As another process would open it. */
  another(): Promise<Store>;
}

export type FreshStore = () => Promise<TestStore>;

export const sqliteStore: FreshStore = async () => {
  const home = await tempHome();
  await putEmptyStore(home.path);
  return testStore({ home: home.path, databaseUrl: null }, async () => home[Symbol.asyncDispose]());
};

export const postgresStore: FreshStore = async () => {
  const schema = await readySchema();
  return testStore({ home: "", databaseUrl: schema.url }, async () => schema[Symbol.asyncDispose]());
};

/** By the schema that it is on. */
const kept = new Map<string, Store>();

/**
 * The same, for many tests of which none closes it: the next one on this schema gets it again, with nothing in it. To
 * connect anew costs more CPU than most tests.
 */
export const keptPostgresStore: FreshStore = async () => {
  if (!inject("postgresIsOurs")) return postgresStore();
  const schema = await readySchema();
  const options = { home: "", databaseUrl: schema.url };
  const store = kept.get(schema.url) ?? (await openStore({ ...options, clock: systemClock }));
  kept.set(schema.url, store);
  return testStore(options, async () => schema[Symbol.asyncDispose](), store);
};

/** For after the last test of a file. */
export async function closeKeptStores(): Promise<void> {
  await Promise.all([...kept.values()].map((store) => store.close()));
  kept.clear();
}

async function testStore(
  options: { home: string; databaseUrl: string | null },
  remove: () => Promise<void>,
  open?: Store,
): Promise<TestStore> {
  const opened: Store[] = [];
  const another = async () => {
    const store = await openStore({ ...options, clock: systemClock });
    opened.push(store);
    return store;
  };
  return {
    store: open ?? (await another()),
    another,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((store) => store.close()));
      await remove();
    },
  };
}
