import { expect, test } from "vitest";
import { err, ok } from "../../src/lib/result.ts";
import type { Connection } from "../../src/upstream/connection.ts";
import { OwnConnections } from "../../src/upstream/own-connections.ts";

/** As much of a connection as is looked at here. */
function connection(name: string) {
  let end: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    end = resolve;
  });
  const log: string[] = [];
  const close = async () => {
    log.push(`${name} closed`);
    end("closed");
  };
  return { log, connection: { closed, openCalls: 0, close, retire: close } as unknown as Connection };
}

test("a connection that fails late does not take the one that came after it along", async () => {
  const own = new OwnConnections(() => 60_000);
  let fail: () => void = () => {};
  const late = own.get(
    "c",
    () =>
      new Promise((resolve) => {
        fail = () => resolve(err({ message: "late", needsAuth: false }));
      }),
  );
  const closing = own.close();
  const second = connection("second");
  await own.get("c", async () => ok(second.connection));
  fail();
  await Promise.all([late, closing]);
  await own.close();
  expect(second.log).toEqual(["second closed"]);
});

test("the one that rested longest makes way for the seventeenth", async () => {
  const own = new OwnConnections(() => 60_000);
  const all = Array.from({ length: 17 }, (_, n) => connection(`c${n}`));
  for (const [n, each] of all.entries()) await own.get(`c${n}`, async () => ok(each.connection));
  expect(all.flatMap(({ log }) => log)).toEqual(["c0 closed"]);
  await own.close();
});

test("an unused connection is closed after a while", async () => {
  const own = new OwnConnections(() => 10);
  const one = connection("one");
  await own.get("c", async () => ok(one.connection));
  own.rest();
  await expect.poll(() => one.log).toEqual(["one closed"]);
});
