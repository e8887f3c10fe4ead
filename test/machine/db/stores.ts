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

async function testStore(
  options: { home: string; databaseUrl: string | null },
  remove: () => Promise<void>,
): Promise<TestStore> {
  const opened: Store[] = [];
  const another = async () => {
    const store = await openStore({ ...options, clock: systemClock });
    opened.push(store);
    return store;
  };
  return {
    store: await another(),
    another,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((store) => store.close()));
      await remove();
    },
  };
}
