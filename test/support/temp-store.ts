import { openHomeStore as openStore } from "../../src/features.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { putEmptyStore } from "./store-template.ts";
import { tempHome } from "./temp-home.ts";

/** A real SQLite store in a fresh folder, closed and gone with its scope. */
export async function tempStore(): Promise<
  AsyncDisposable & { readonly store: Store; readonly home: string }
> {
  const home = await tempHome();
  await putEmptyStore(home.path);
  const store = await openStore({ home: home.path, databaseUrl: null, clock: () => Date.now() });
  return {
    store,
    home: home.path,
    async [Symbol.asyncDispose]() {
      await store.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
