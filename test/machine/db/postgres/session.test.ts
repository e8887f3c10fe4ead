import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, inject, test } from "vitest";
import { PostgresSession } from "../../../../src/machine/db/postgres/session.ts";
import { interruptible } from "../../../support/interruptible.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { stalling } from "../../../support/stalling.ts";
import { stopwatch } from "../../../support/stopwatch.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const { signal: never } = new AbortController();

test("a session that waits for a server that never answers is closed at once, and so is whoever waits for it", async () => {
  await using silent = await silentServer();
  const session = new PostgresSession(`postgres://toolkeep@127.0.0.1:${silent.port}/db`);
  const waiting = session.connection(never);
  const refused = expect(waiting).rejects.toThrow("closed");
  await waitUntil("it has connected", () => silent.sockets.size > 0);
  const took = stopwatch();
  await session.close();
  await refused;
  expect(took()).toBeLessThan(1_000);
  await waitUntil("its socket is gone", () => silent.sockets.size === 0);
});

test("whoever waits for a connection stops waiting when its signal aborts", async () => {
  await using silent = await silentServer();
  const session = new PostgresSession(`postgres://toolkeep@127.0.0.1:${silent.port}/db`);
  const stop = new AbortController();
  const waiting = expect(session.connection(stop.signal)).rejects.toThrow("enough");
  stop.abort(new Error("enough"));
  await waiting;
  await session.close();
});

describe.runIf(hasPostgres())("with a server", () => {
  test("a connection that breaks is replaced, and says so to who uses it", async () => {
    await using line = await interruptible(inject("postgresUrl")!);
    const session = new PostgresSession(line.url);
    const first = await session.connection(never);
    expect(await first.query("select 1 as one")).toEqual([{ one: 1 }]);
    await line.interrupt();
    await waitUntil("the loss is known", () => first.lost.aborted);
    await expect(first.query("select 1")).rejects.toThrow();
    await line.resume();
    const second = await session.connection(never);
    expect(await second.query("select 2 as two")).toEqual([{ two: 2 }]);
    await session.close();
    expect(second.lost.aborted).toBe(true);
  });

  test("a connection that no longer answers counts as lost although nobody closed it", async () => {
    await using line = await stalling(inject("postgresUrl")!);
    const session = new PostgresSession(line.url, { pingMs: 50, answerMs: 300 });
    const connection = await session.connection(never);
    line.stall();
    await waitUntil("the loss is known", () => connection.lost.aborted, 5_000);
    await session.close();
  });

  test("statements of several users of one connection run one after another", async () => {
    const session = new PostgresSession(inject("postgresUrl")!);
    const connection = await session.connection(never);
    const answers = await Promise.all(
      [1, 2, 3].map((number) => connection.query<{ n: number }>("select $1::int as n", [number])),
    );
    expect(answers.map(([row]) => row?.n)).toEqual([1, 2, 3]);
    await session.close();
  });
});

/** Takes connections and says nothing. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.resume();
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    sockets,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
