import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerInput } from "../../src/servers/contract.ts";
import { stopwatch, waiting } from "../support/stopwatch.ts";
import { testHub } from "../support/test-hub.ts";
import { said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { freshUpstream } from "./fresh-upstream.ts";

const it = freshUpstream();
const ann = { agentId: "agt_ann" };
const bob = { agentId: "agt_bob" };

const WORKING: ServerInput = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/working.mjs")],
};

describe("a server that takes two calls at once", () => {
  test("never has more, and answers all of them", async () => {
    await it.add("busy", { ...WORKING, maxConcurrency: 2 });
    const calls = Array.from({ length: 20 }, (_, n) => work(`call ${n}`, 5));
    expect((await Promise.all(calls)).map(said)).toEqual(calls.map((_, n) => `call ${n}`));
    expect(await log()).toMatchObject({ most: 2, order: calls.map((_, n) => `call ${n}`) });
  });

  test("takes an agent's one call in its turn, not after the fifty of another", async () => {
    await it.add("busy", { ...WORKING, maxConcurrency: 2 });
    const many = Array.from({ length: 50 }, () => work("Ann", 20, { caller: ann }));
    const one = work("Bob", 20, { caller: bob });

    expect(said(await one)).toBe("Bob");
    await Promise.all(many);
    const { order } = await log();
    expect(order.indexOf("Bob")).toBeLessThanOrEqual(3);
    expect(order).toHaveLength(51);
  });

  test("takes three agents one after the other, however many calls each has", async () => {
    await it.add("busy", { ...WORKING, maxConcurrency: 1 });
    const calls = ["Ann", "Bob", "Eve"].flatMap((who) =>
      Array.from({ length: 5 }, () => work(who, 5, { caller: { agentId: who } })),
    );
    await Promise.all(calls);
    const { order } = await log();
    expect(order.slice(1, 13)).toEqual(Array(4).fill(["Ann", "Bob", "Eve"]).flat());
  });

  test("is never told of a call that was cancelled while it waited; those behind it move up", async () => {
    await it.add("busy", { ...WORKING, maxConcurrency: 1 });
    const running = work("running", 300);
    const stop = new AbortController();
    const waiting = work("cancelled", 5, { signal: stop.signal });
    const behind = work("behind", 5);
    const took = stopwatch();
    stop.abort();

    expect(await waiting).toMatchObject({ kind: expect.stringMatching(/failed|unavailable/) });
    expect(took()).toBeLessThan(250);
    await Promise.all([running, behind]);
    expect(await log()).toMatchObject({ order: ["running", "behind"], cancelled: [] });
  });

  test("has room again when a running call is cancelled, and is told which", async () => {
    await it.add("busy", { ...WORKING, maxConcurrency: 1 });
    const stop = new AbortController();
    const running = work("cancelled", 60_000, { signal: stop.signal });
    const next = work("next", 5);
    await waitUntil("it is running", () => it.up.upstream.server("busy").state === "ready");
    setTimeout(() => stop.abort(), 100);

    expect(await running).toMatchObject({ kind: "failed" });
    expect(said(await next)).toBe("next");
    expect(await log()).toMatchObject({ order: ["cancelled", "next"], cancelled: ["cancelled"] });
  });
});

test("a server with all its turns taken does not delay another", async () => {
  await it.add("busy", { ...WORKING, maxConcurrency: 2 });
  await it.add("free", { ...WORKING, maxConcurrency: 2 });
  const stop = new AbortController();
  const stuck = Array.from({ length: 50 }, () => work("stuck", 60_000, { signal: stop.signal }));
  await waitUntil("it is busy", () => it.up.upstream.server("busy").state === "ready");

  const took = stopwatch();
  expect(said(await it.up.call("mcp_free_work", { who: "free", ms: 1 }))).toBe("free");
  expect(took()).toBeLessThan(1_000);
  stop.abort();
  await Promise.all(stuck);
});

describe("progress", () => {
  test.each([
    ["extends the time limit where the server is set so", true, "ok"],
    ["does not extend the time limit otherwise", false, "timed_out"],
  ])("%s", async (_, progressExtendsTimeout, outcome) => {
    await using hub = await testHub();
    await hub.hub.upstream.add("working", { ...WORKING, timeoutMs: 1_000, progressExtendsTimeout });
    await hub.hub.upstream.settled();
    const waited = waiting();
    const ended = await hub.call("mcp_working_report", { everyMs: 250, times: 8 });
    expect(ended.outcome).toBe(outcome);
    if (outcome === "timed_out") expect(ended.durationMs - waited()).toBeLessThan(1_900);
  });

  test("that stops coming lets the time limit pass", async () => {
    await using hub = await testHub();
    await hub.hub.upstream.add("working", { ...WORKING, timeoutMs: 1_000, progressExtendsTimeout: true });
    await hub.hub.upstream.settled();
    const waited = waiting();
    const ended = await hub.call("mcp_working_work", { who: "silent", ms: 60_000 });
    expect(ended.outcome).toBe("timed_out");
    expect(ended.durationMs - waited()).toBeLessThan(1_900);
  });
});

function work(who: string, ms: number, options: Parameters<typeof it.up.call>[2] = {}) {
  return it.up.call("mcp_busy_work", { who, ms }, options);
}

async function log(): Promise<{ order: string[]; most: number; cancelled: string[] }> {
  return JSON.parse(said(await it.up.call("mcp_busy_log")));
}
