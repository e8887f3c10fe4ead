import { existsSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeSettings } from "../../src/config/merge.ts";
import { type CleaningDeps, startCleaning } from "../../src/daemon/cleaning.ts";
import type { Log } from "../../src/lib/log.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { call, token } from "../store/records.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { tempHome } from "../support/temp-home.ts";
import { tempStore } from "../support/temp-store.ts";
import { waitUntil } from "../support/wait-until.ts";

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
const { retention } = mergeSettings("/home", {});
const clock = () => NOW;

test("what is older than its retention goes in batches, and the log says how much it was", async () => {
  await using temp = await tempStore();
  await putCalls(temp.store, 1_201, NOW - 91 * DAY);
  await putCalls(temp.store, 3, NOW - 89 * DAY);
  await temp.store.tokens.create(token("expired", { expiresAt: NOW - 31 * DAY }));
  const { log, lines } = noted();
  let reloaded = 0;
  const onTokens = async () => void reloaded++;
  const cleaning = startCleaning({ ...depsOf(temp, log), onTokens });
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(reloaded).toBe(1);
  expect(lines).toEqual([[{ calls: 1_201, tokens: 1 }, "removed what was older than its retention"]]);
  expect(await temp.store.calls.list({ limit: 1_000 })).toHaveLength(3);
});

test("what is part of a chain is counted with the calls, and asked for until nothing is left", async () => {
  await using temp = await tempStore();
  await putCalls(temp.store, 2, NOW - 91 * DAY);
  const asked: number[] = [];
  const prune = async (before: number) => (asked.push(before) < 3 ? 500 : 7);
  const { log, lines } = noted();
  const cleaning = startCleaning({ ...depsOf(temp, log), audit: { prune } });
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines[0]?.[0]).toEqual({ calls: 1_009 });
  expect(asked).toEqual([NOW - 90 * DAY, NOW - 90 * DAY, NOW - 90 * DAY]);
});

test("what is to be kept for ever stays, whatever its age", async () => {
  await using temp = await tempStore();
  await putCalls(temp.store, 2, 1);
  await temp.store.tokens.create(token("expired", { expiresAt: 1 }));
  const { log, lines } = noted();
  const kept = { ...retention, auditMs: null };
  const cleaning = startCleaning({ ...depsOf(temp, log), retention: () => kept });
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines[0]?.[0]).toEqual({ tokens: 1 });
  expect(await temp.store.calls.list({ limit: 10 })).toHaveLength(2);
});

test("old copies of attached files go, younger ones and other files stay", async () => {
  await using temp = await tempStore();
  const folder = join(temp.home, "attachments");
  for (const [name, days] of [
    ["att_old", 91],
    ["att_young", 89],
    ["mine", 400],
  ] as const) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "a.txt"), "");
    const at = (NOW - days * DAY) / 1000;
    await utimes(join(folder, name), at, at);
  }
  const { log, lines } = noted();
  const cleaning = startCleaning(depsOf(temp, log));
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines[0]?.[0]).toEqual({ files: 1 });
  expect(["att_old", "att_young", "mine"].filter((name) => existsSync(join(folder, name)))).toEqual([
    "att_young",
    "mine",
  ]);
});

test("outputs go when they are older than a day, whatever the retention says", async () => {
  await using temp = await tempStore();
  const HOUR = 3_600_000;
  for (const [id, hours] of [
    ["out_old", 25],
    ["out_young", 23],
  ] as const) {
    const createdAt = NOW - hours * HOUR;
    const output = { id, agentId: "agt", conversation: "c", chars: 4, bytes: 4, createdAt, labels: [] };
    await temp.store.outputs.create(output, "text");
  }
  const { log, lines } = noted();
  const cleaning = startCleaning(depsOf(temp, log));
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines).toEqual([[{ outputs: 1 }, "removed what was older than its retention"]]);
  expect((await temp.store.outputs.list({ agentId: "agt" })).map(({ id }) => id)).toEqual(["out_young"]);
});

test("of two daemons on one database one cleans it, and the other when the first has gone", async (context) => {
  if (!hasPostgres()) context.skip("this run has no PostgreSQL");
  await using schema = await scopedSchema();
  await using home = await tempHome();
  const open = () => openStore({ home: home.path, databaseUrl: schema.url, clock });
  const daemons = await Promise.all(
    ["one", "two"].map(async (name) => {
      const store = await open();
      const { log, lines } = noted();
      const own = join(home.path, name);
      await mkdir(own);
      return { store, lines, deps: depsOf({ store, home: own }, log) };
    }),
  );
  const [first, second] = daemons as [(typeof daemons)[0], (typeof daemons)[0]];
  await putCalls(first.store, 2, NOW - 91 * DAY);
  const cleaning = startCleaning(first.deps);
  await waitUntil("the first has cleaned", () => first.lines.length > 0);
  await putCalls(first.store, 2, NOW - 91 * DAY);
  const next = startCleaning(second.deps);
  await cleaning.close();
  await first.store.close();
  await waitUntil("the second has cleaned", () => second.lines.length > 0);
  expect(second.lines[0]?.[0]).toEqual({ calls: 2 });
  await next.close();
  await second.store.close();
});

function depsOf({ store, home }: { store: Store; home: string }, log: Log): CleaningDeps {
  const audit = { prune: async () => 0 };
  return { store, audit, home, retention: () => retention, onTokens: async () => {}, clock, log, firstMs: 0 };
}

async function putCalls(store: Store, count: number, startedAt: number): Promise<void> {
  const calls = Array.from({ length: count }, (_, index) => call(`${startedAt} ${index}`, { startedAt }));
  await store.calls.put(calls);
}

function noted(): { log: Log; lines: [object, string][] } {
  const lines: [object, string][] = [];
  const note = (fields: object, message: string) => void lines.push([fields, message]);
  return { log: { debug() {}, info: note, warn: note, error: note }, lines };
}

test("a clock that is far ahead removes a few days of the audit a day, however often the daemon starts", async () => {
  await using temp = await tempStore();
  for (let day = 0; day < 60; day += 2) await putCalls(temp.store, 1, NOW - day * DAY);
  const years = 10 * 365 * DAY;
  const left = async () => (await temp.store.calls.list({ limit: 1_000 })).length;
  const start = async (at: number) => {
    const { log, lines } = noted();
    await temp.store.tokens.create(token(`t${at}`, { expiresAt: 1 }));
    const cleaning = startCleaning({ ...depsOf(temp, log), clock: () => at });
    await waitUntil("it has cleaned", () => lines.some(([, line]) => line.startsWith("removed")));
    await cleaning.close();
    return lines.map(([, line]) => line);
  };

  const [warning] = await start(NOW + years);
  expect(warning).toContain("Check the clock");
  expect(await left()).toBe(29);
  await start(NOW + years + 1_000);
  await start(NOW + years + 2_000);
  expect(await left()).toBe(29);
  await start(NOW + years + DAY);
  expect(await left()).toBe(28);
});
