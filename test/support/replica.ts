import { openHomeStore as openStore } from "../../src/features.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { openServerTables, type ServerTables } from "../../src/servers/tables/server-tables.ts";
import { type TestUpstream, testUpstream } from "./upstream.ts";

export interface Replica extends AsyncDisposable {
  readonly up: TestUpstream;
  readonly store: Store & ServerTables;
  /** How often it has taken over toolboxes of others. */
  readonly heard: () => number;
}

/** Servers over one PostgreSQL, following what other processes change there. */
export async function replica(url: string): Promise<Replica> {
  const opened = await openStore({ home: "", databaseUrl: url, clock: systemClock });
  const store = { ...opened, ...openServerTables(opened.database) };
  const since = await store.revision();
  const up = await testUpstream({ store });
  let heard = 0;
  const following = store.follow(since, {
    async reload(kinds) {
      await up.upstream.reload();
      if (kinds.has("toolboxes")) heard++;
    },
    question: () => {},
    onProblem: () => {},
  });
  await following.listening;
  return {
    up,
    store,
    heard: () => heard,
    async [Symbol.asyncDispose]() {
      await following.close();
      await up[Symbol.asyncDispose]();
      await store.close();
    },
  };
}
