import { expect, test } from "vitest";
import { err, ok, type Result } from "../../../src/lib/result.ts";
import type { ConnectFailure } from "../../../src/servers/connection/call.ts";
import type { Connection } from "../../../src/servers/connection/connection.ts";
import { OwnConnections } from "../../../src/servers/connection/connections.ts";
import { testCaller } from "../../support/tools.ts";

type Opened = Result<Connection, ConnectFailure>;

/** As much of a connection as is looked at here. */
function connection(name: string, log: string[]): Connection {
  let end: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    end = resolve;
  });
  const close = async () => {
    log.push(`${name} closed`);
    end("closed");
  };
  return { name, closed, openCalls: 0, close, retire: close } as unknown as Connection;
}

/** Connections are called by the order in which they were opened. */
function ownConnections({ idleMs = 60_000 } = {}) {
  const log: string[] = [];
  let count = 0;
  const open = async () => ok(connection(`c${count++}`, log));
  const own = new OwnConnections({
    idleMs: () => idleMs,
    open,
    shared: async () => ok(connection("shared", log)),
    retire: (each) => each.retire(),
  });
  const get = async (use: ReturnType<typeof callOf>, isExclusive = false) =>
    named(await own.get(use, isExclusive));
  return { own, log, get };
}

function named(opened: Opened): string {
  return opened.ok ? (opened.value as unknown as { name: string }).name : opened.error.message;
}

function callOf(conversation: string, agentId = "agt_test") {
  return { caller: testCaller({ conversation, agentId }) };
}

test("a connection that fails late does not take the one that came after it along", async () => {
  const log: string[] = [];
  let fail: () => void = () => {};
  const openings: (() => Promise<Opened>)[] = [
    () =>
      new Promise((resolve) => {
        fail = () => resolve(err({ message: "late", needsAuth: false }));
      }),
    async () => ok(connection("second", log)),
  ];
  const open = () => openings.shift()!();
  const own = new OwnConnections({
    idleMs: () => 60_000,
    open,
    shared: open,
    retire: (each) => each.retire(),
  });
  const late = own.get(callOf("c"), false);
  const closing = own.close();
  await own.get(callOf("c"), false);
  fail();
  await Promise.all([late, closing]);
  await own.close();
  expect(log).toEqual(["second closed"]);
});

test("the one that rested longest makes way for the seventeenth", async () => {
  const { own, log, get } = ownConnections();
  for (let n = 0; n < 17; n++) {
    const call = callOf(`conversation ${n}`);
    await get(call);
    own.release(call);
  }
  expect(log).toEqual(["c0 closed"]);
  await own.close();
});

test("an unused connection is closed after a while", async () => {
  const { own, log, get } = ownConnections({ idleMs: 10 });
  const call = callOf("c");
  await get(call);
  own.scheduleIdleClose();
  own.release(call);
  own.scheduleIdleClose();
  await expect.poll(() => log).toEqual(["c0 closed"]);
});

test("calls of one conversation share a connection; one that answers for itself alone has it alone", async () => {
  const { own, get } = ownConnections();
  expect(await get(callOf("a"))).toBe("c0");
  expect(await get(callOf("a"))).toBe("c0");
  const [first, second] = [callOf("a"), callOf("a")];
  expect(await Promise.all([get(first, true), get(second, true)])).toEqual(["c1", "c2"]);
  expect(await get(callOf("a"))).toBe("c0");
  await own.close();
});

test("a connection that rests is used again, by the next call that wants one alone", async () => {
  const { own, get } = ownConnections();
  const first = callOf("a");
  expect(await get(first, true)).toBe("c0");
  own.release(first);
  expect(await get(callOf("a"), true)).toBe("c0");
  expect(await get(callOf("b"), true)).toBe("c1");
  await own.close();
});

test("the connection of a call that was given up goes to nobody else", async () => {
  const { own, log, get } = ownConnections();
  const given = callOf("a");
  await get(given, true);
  own.release(given, true);
  await expect.poll(() => log).toEqual(["c0 closed"]);
  expect(await get(callOf("a"), true)).toBe("c1");
  await own.close();
});

test("one agent has at most six alone; its next call takes the shared one, and others still find room", async () => {
  const { own, get } = ownConnections();
  const ofAnn = () => callOf("a", "agt_ann");
  for (let n = 0; n < 6; n++) expect(await get(ofAnn(), true)).toBe(`c${n}`);
  expect(await get(ofAnn(), true)).toBe("shared");
  expect(await get(callOf("b", "agt_bob"), true)).toBe("c6");
  await own.close();
});

test("who finds no room takes the shared one", async () => {
  const { own, get } = ownConnections();
  for (let n = 0; n < 16; n++) await get(callOf(`conversation ${n}`));
  expect(await get(callOf("one more"))).toBe("shared");
  await own.close();
});
