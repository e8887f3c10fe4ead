import { expect, test } from "vitest";
import { Events } from "../../../src/contract/events.ts";
import { TrustNotices } from "../../../src/servers/trust/trust-notices.ts";
import { tempStore } from "../../support/temp-store.ts";
import { trustStores } from "../../support/trust-stores.ts";

test("of what to look at in a server's tools one notification is open, the last", async () => {
  await using temp = await tempStore();
  const store = trustStores(temp.store);
  let ids = 0;
  const newId = (prefix: string) => `${prefix}_${++ids}`;
  const events = new Events((error) => {
    throw error;
  });
  const notices = new TrustNotices({ store, events, clock: Date.now, newId });
  for (const tool of ["first", "second", "third"])
    await notices.warnOfTools({ id: "srv_a", name: "a" }, [tool]);
  await notices.warnOfTools({ id: "srv_b", name: "b" }, ["other"]);
  await notices.warnOfTools({ id: "srv_b", name: "b" }, []);
  const open = await store.notifications.list();
  expect(open.map(({ body }) => /: (\w+)\./.exec(body)?.[1]).sort()).toEqual(["other", "third"]);
});
