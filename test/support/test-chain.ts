import { ChainKey } from "../../src/call/audit/chain/chain-code.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { callTables } from "./call-tables.ts";

export const TEST_KEY = new ChainKey(Buffer.alloc(32, 7));

/** What a chain needs, over a store of a test. */
export function testChain({ store, home }: { readonly store: Store; readonly home: string }) {
  return {
    store: callTables(store).audit,
    home,
    key: TEST_KEY,
    label: `test:${home}`,
    alone: store.dialect === "sqlite",
    clock: () => 5,
    newId: randomId,
    onProblem: (error: unknown) => {
      throw error;
    },
  };
}
