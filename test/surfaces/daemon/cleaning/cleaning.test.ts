import { existsSync } from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tokenCleaning } from "../../../../src/call/identity/cleaning.ts";
import type { Log } from "../../../../src/lib/log.ts";
import { mergeSettings } from "../../../../src/machine/config/merge.ts";
import { openStore } from "../../../../src/machine/db/open.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { type CleaningDeps, startCleaning } from "../../../../src/surfaces/daemon/cleaning/cleaning.ts";
import { call, token } from "../../../machine/db/records.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { callTables } from "../../../support/call-tables.ts";
import { hasPostgres, scopedSchema } from "../../../support/postgres.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { tempStore } from "../../../support/temp-store.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEARS = 10 * 365 * DAY;
const NOW = 1_800_000_000_000;
const { retention } = mergeSettings("/home", {});
const clock = () => NOW;

test("what is older than its retention goes in batches, and the log says how much it was", async () => {
  await using temp = await tempStore();
  await putCalls(temp.store, 1_201, NOW - 91 * DAY);
  await putCalls(temp.store, 3, NOW - 89 * DAY);
  await accessTables(temp.store).tokens.create(token("expired", { expiresAt: NOW - 31 * DAY }));
  const { log, lines } = noted();
  let reloaded = 0;
  const reload = async () => void reloaded++;
  await believed(temp.home, NOW);
  const cleaning = startCleaning(depsOf(temp, log, { reload }));
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(reloaded).toBe(1);
  expect(lines).toEqual([
    [{ calls: 1_201, tokens: 1 }, "cleaning: removed rows and files older than their retention"],
  ]);
  expect(await callTables(temp.store).calls.list({ limit: 1_000 })).toHaveLength(3);
});

test("what is part of a chain is counted with the calls, and asked for until nothing is left", async () => {
  await using temp = await tempStore();
  await putCalls(temp.store, 2, NOW - 91 * DAY);
  const asked: number[] = [];
  const prune = async (before: number) => (asked.push(before) < 3 ? 500 : 7);
  const { log, lines } = noted();
  await believed(temp.home, NOW);
  const cleaning = startCleaning({ ...depsOf(temp, log), audit: { prune } });
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines[0]?.[0]).toEqual({ calls: 1_009 });
  expect(asked).toEqual([NOW - 90 * DAY, NOW - 90 * DAY, NOW - 90 * DAY]);
});

test("what is to be kept for ever stays, whatever its age", async () => {
  await using temp = await tempStore();
  await putCalls(temp.store, 2, 1);
  await accessTables(temp.store).tokens.create(token("expired", { expiresAt: 1 }));
  const { log, lines } = noted();
  const kept = { ...retention, auditMs: null };
  await believed(temp.home, NOW);
  const cleaning = startCleaning({ ...depsOf(temp, log), retention: () => kept });
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines[0]?.[0]).toEqual({ tokens: 1 });
  expect(await callTables(temp.store).calls.list({ limit: 10 })).toHaveLength(2);
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
  await believed(temp.home, NOW);
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
  for (const [id, hours] of [
    ["out_old", 25],
    ["out_young", 23],
  ] as const) {
    const createdAt = NOW - hours * HOUR;
    const output = { id, agentId: "agt", conversation: "c", chars: 4, bytes: 4, createdAt, labels: [] };
    await callTables(temp.store).outputs.create(output, "text");
  }
  const { log, lines } = noted();
  await believed(temp.home, NOW);
  const cleaning = startCleaning(depsOf(temp, log));
  await waitUntil("it has cleaned", () => lines.length > 0);
  await cleaning.close();
  expect(lines).toEqual([[{ outputs: 1 }, "cleaning: removed rows and files older than their retention"]]);
  expect((await callTables(temp.store).outputs.list({ agentId: "agt" })).map(({ id }) => id)).toEqual([
    "out_young",
  ]);
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
      await believed(own, NOW);
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

function depsOf(
  { store, home }: { store: Store; home: string },
  log: Log,
  { reload = async () => {}, time = clock } = {},
): CleaningDeps {
  const audit = { prune: async () => 0 };
  const { outputs, audit: auditTable } = callTables(store);
  const { tokens, consents } = accessTables(store);
  const retentionMs = () => retention.tokensMs;
  const features = tokenCleaning({ tokens, consents, identity: { reload }, retentionMs, clock: time });
  const kept = { store, audit, auditTable, outputs, home, retention: () => retention };
  return { ...kept, features, clock: time, log, firstMs: 0 };
}

/** As if a daemon had looked at the clock here before, more than a day ago. */
async function believed(home: string, at: number): Promise<void> {
  await writeFile(join(home, "clock-seen"), JSON.stringify({ at, believedFrom: at - DAY }));
}

async function putCalls(store: Store, count: number, startedAt: number): Promise<void> {
  const calls = Array.from({ length: count }, (_, index) => call(`${startedAt} ${index}`, { startedAt }));
  await callTables(store).calls.put(calls);
}

function noted(): { log: Log; lines: [object, string][] } {
  const lines: [object, string][] = [];
  const note = (fields: object, message: string) => void lines.push([fields, message]);
  return { log: { debug() {}, info: note, warn: note, error: note }, lines };
}

test("a clock that is far ahead removes a few days of the audit a day, however often the daemon starts", async () => {
  await using temp = await tempStore();
  for (let day = 0; day < 60; day += 2) await putCalls(temp.store, 1, NOW - day * DAY);
  await believed(temp.home, NOW);
  const left = async () => (await callTables(temp.store).calls.list({ limit: 1_000 })).length;
  const start = (at: number) => cleanedAt(temp, at);

  const [ahead] = await start(NOW + YEARS);
  expect(ahead).toContain("3650 days ahead");
  const warned = await start(NOW + YEARS + DAY);
  expect(warned.find((line) => line.startsWith("audit:"))).toContain("Check the clock");
  expect(await left()).toBe(29);
  await start(NOW + YEARS + DAY + 1_000);
  await start(NOW + YEARS + DAY + 2_000);
  expect(await left()).toBe(29);
  await start(NOW + YEARS + 2 * DAY);
  expect(await left()).toBe(28);
});

test("a clock that is far ahead removes nothing for a day, however often the daemon starts", async () => {
  await using temp = await tempStore();
  await putEverything(temp);
  await believed(temp.home, NOW);
  const before = await everything(temp);

  const lines = await cleanedAt(temp, NOW + YEARS);
  for (const later of [1_000, DAY / 2, 19 * HOUR]) await cleanedAt(temp, NOW + YEARS + later);

  expect(lines).toEqual([expect.stringContaining("nothing is removed for its age until a day has passed")]);
  expect(await everything(temp)).toEqual(before);
  // Whoever sets it right has lost nothing, and what is due goes as ever.
  await accessTables(temp.store).tokens.create(token("due", { expiresAt: NOW - 31 * DAY }));
  expect(await cleanedAt(temp, NOW + 2 * HOUR)).toEqual([]);
  expect(await cleanedAt(temp, NOW + 22.5 * HOUR)).toEqual([
    "cleaning: removed rows and files older than their retention",
  ]);
  expect(await everything(temp)).toEqual(before);
});

test("a clock that stays far ahead for a day is believed", async () => {
  await using temp = await tempStore();
  await putEverything(temp);
  await believed(temp.home, NOW);
  await cleanedAt(temp, NOW + YEARS);
  expect(await cleanedAt(temp, NOW + YEARS + DAY)).toContain(
    "cleaning: removed rows and files older than their retention",
  );
  expect(await everything(temp)).toEqual({ calls: [], tokens: [], outputs: [], files: [] });
});

test("a home in which nobody has looked at the clock yet is not cleaned before a day has passed", async () => {
  await using temp = await tempStore();
  await putEverything(temp);
  const before = await everything(temp);
  expect(await cleanedAt(temp, NOW + YEARS)).toEqual([]);
  expect(await everything(temp)).toEqual(before);
  await writeFile(join(temp.home, "clock-seen"), '{"at":"then"');
  expect(await cleanedAt(temp, NOW + YEARS)).toEqual([]);
  expect(await everything(temp)).toEqual(before);
});

interface Temp {
  readonly store: Store;
  readonly home: string;
}

/** What is young at `NOW`, in tables and files. */
async function putEverything({ store, home }: Temp): Promise<void> {
  await putCalls(store, 1, NOW - HOUR);
  await accessTables(store).tokens.create(token("young", { expiresAt: NOW + DAY }));
  const output = { id: "out", agentId: "agt", conversation: "c", chars: 4, bytes: 4, labels: [] };
  await callTables(store).outputs.create({ ...output, createdAt: NOW - HOUR }, "text");
  await mkdir(join(home, "attachments", "att_young"), { recursive: true });
  await utimes(join(home, "attachments", "att_young"), NOW / 1000, NOW / 1000);
}

async function everything({ store, home }: Temp) {
  return {
    calls: (await callTables(store).calls.list({ limit: 10 })).map(({ id }) => id),
    tokens: (await accessTables(store).tokens.list()).map(({ id }) => id),
    outputs: (await callTables(store).outputs.list({ agentId: "agt" })).map(({ id }) => id),
    files: await readdir(join(home, "attachments")),
  };
}

/** Cleans once, by a daemon that starts at this time; resolves with what it logged. */
async function cleanedAt(temp: Temp, at: number): Promise<string[]> {
  const { log, lines } = noted();
  let done = 0;
  const debug = (_: object, line: string) => void (line === "cleaning: finished" && done++);
  const cleaning = startCleaning(depsOf(temp, { ...log, debug }, { time: () => at }));
  await waitUntil("the store, outputs and files are cleaned", () => done === 3);
  await cleaning.close();
  return lines.map(([, line]) => line);
}
