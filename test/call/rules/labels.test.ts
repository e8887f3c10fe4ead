import { expect, test } from "vitest";
import { Labels, type LabelsDeps } from "../../../src/call/rules/labels.ts";
import { openStore } from "../../../src/machine/db/open.ts";
import type { Store } from "../../../src/machine/db/store.ts";
import { callTables } from "../../support/call-tables.ts";
import { openExecutor } from "../../support/executor.ts";
import { tempStore } from "../../support/temp-store.ts";
import { testCaller, testTool } from "../../support/tools.ts";
import { trustStores } from "../../support/trust-stores.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const untrusted = { untrusted: true };
const main = testCaller({ agentId: "agt_main", conversation: "c1" });
const sub = testCaller({ agentId: "agt_sub", parentId: "agt_main", conversation: "c1" });

test("labels are inherited by sub-agents, outlast a restart and reach other processes", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const deps = {
    store: trustStores(temp.store).labels,
    clock: () => now,
    parentOf: () => null,
    onProblem: (error: unknown) => expect(error).toBe(null),
  };
  const labels = await Labels.open(deps);
  const otherStore = await openStore({ home: temp.home, databaseUrl: null, clock: Date.now });
  const other = await Labels.open({ ...deps, store: trustStores(otherStore).labels });

  labels.noteRead(main, {});
  expect(labels.forCaller(main).size).toBe(0);
  labels.noteRead(main, untrusted);
  labels.noteRead(main, { labels: ["secrets"] });
  expect([...labels.forCaller(main)]).toEqual(["untrusted_content", "secrets"]);
  expect([...labels.forCaller(sub)]).toEqual(["untrusted_content", "secrets"]);
  expect(labels.forCaller({ ...main, conversation: "c2" }).size).toBe(0);
  // It has its own conversation, and works for the parent's newest one.
  expect(labels.forCaller({ ...sub, conversation: "own" }).size).toBe(2);
  await labels.close();

  await other.reload();
  expect([...other.forCaller(main)]).toEqual(["untrusted_content", "secrets"]);
  expect([...(await Labels.open(deps)).forCaller(main)]).toEqual(["untrusted_content", "secrets"]);

  now += DAY_MS;
  expect(labels.forCaller({ ...sub, conversation: "own" }).size).toBe(0);
  expect(await trustStores(temp.store).labels.prune(now, 10)).toBe(2);
  await otherStore.close();
});

test("labels reach those who work for a sub-agent, however far down, and a cycle of parents ends", async () => {
  await using temp = await tempStore();
  const parents: Record<string, string> = { agt_low: "agt_sub", agt_sub: "agt_main", agt_main: "agt_low" };
  const labels = new Labels({
    store: trustStores(temp.store).labels,
    clock: () => 0,
    parentOf: (id) => parents[id] ?? null,
    onProblem: (error) => expect(error).toBe(null),
  });
  const low = testCaller({ agentId: "agt_low", parentId: "agt_sub", conversation: "own" });
  labels.noteRead(main, untrusted);
  labels.noteRead({ ...sub, conversation: "other" }, { labels: ["secrets"] });
  expect([...labels.forCaller(low)].sort()).toEqual(["secrets", "untrusted_content"]);
  expect(labels.forCaller(testCaller({ agentId: "agt_else", conversation: "own" })).size).toBe(0);
  await labels.close();
});

const openLabels = (
  temp: { store: Store },
  clock: () => number,
  store: LabelsDeps["store"] = trustStores(temp.store).labels,
) =>
  Labels.open({
    store,
    clock,
    parentOf: () => null,
    onProblem: (error) => expect(error).toBe(null),
  });

test("labels stay with an agent whatever session, token or conversation its calls come with, for a day", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await openLabels(temp, () => now);
  const named = (conversation: string, tokenId: string | null = "tok_1") =>
    testCaller({ agentId: "agt_main", tokenId, conversation });
  labels.noteRead(named("c1"), untrusted);
  for (const other of [named("c2"), named("tok_1"), named("c2", "tok_2"), named("c1", "tok_2")])
    expect(labels.forCaller(other).has("untrusted_content")).toBe(true);
  // A conversation that the embedding program opens stands alone: no agent can choose it.
  expect(labels.forCaller(named("c2", null)).size).toBe(0);
  expect(labels.forCaller({ ...named("c2"), agentId: "agt_else" }).size).toBe(0);
  labels.noteRead(named("c3", null), { labels: ["secrets"] });
  expect(labels.forCaller(named("c2")).has("secrets")).toBe(true);
  now += DAY_MS;
  expect(labels.forCaller(named("c2")).size).toBe(0);
  expect([...labels.forCaller(named("c1"))]).toEqual(["untrusted_content"]);
  await labels.close();
});

test("what counts for every call of an agent goes when the last of its conversations is cleared", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await openLabels(temp, () => now);
  const token = testCaller({ agentId: "agt_main", tokenId: "tok_1", conversation: "new" });
  for (const conversation of ["c1", "c2"]) labels.noteRead({ ...main, conversation }, untrusted);
  now += 1;
  expect(await labels.clear("agt_main", "c1")).toBe(1);
  expect(labels.forCaller(token).size).toBe(1);
  expect(await labels.clear("agt_main", "c2")).toBe(1);
  expect(labels.forCaller(token).size).toBe(0);
  await labels.close();
});

test("an agent with very many conversations does not displace the labels that count for all calls of another", async () => {
  await using temp = await tempStore();
  const kept: unknown[] = [];
  const store: LabelsDeps["store"] = { list: async () => [], put: async (record) => void kept.push(record) };
  const labels = await openLabels(temp, () => 1, store);
  const quiet = testCaller({ agentId: "agt_quiet", tokenId: "tok_2", conversation: "c" });
  labels.noteRead(quiet, untrusted);
  for (let at = 0; at < 20_100; at++) labels.noteRead({ ...main, conversation: `c${at}` }, untrusted);
  expect(labels.forCaller({ ...quiet, conversation: "other" }).size).toBe(1);
  expect(labels.forCaller({ ...main, tokenId: "tok_1", conversation: "other" }).size).toBe(1);
  await labels.close();
});

test("a conversation with as many labels as there may be still gets that of untrusted content", async () => {
  await using temp = await tempStore();
  const labels = await openLabels(temp, () => 1);
  labels.noteRead(main, { labels: Array.from({ length: 30 }, (_, index) => `l${index}`) });
  expect(labels.forCaller(main).size).toBe(20);
  labels.noteRead(main, untrusted);
  expect(labels.forCaller(main).has("untrusted_content")).toBe(true);
  await labels.close();
});

test("labels are over 30 days after they were met last, also without a restart", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await openLabels(temp, () => now);
  labels.noteRead(main, untrusted);
  now += 20 * DAY_MS;
  labels.noteRead(main, untrusted);
  now += 20 * DAY_MS;
  expect(labels.forCaller(main).size).toBe(1);
  await labels.close();
  expect((await openLabels(temp, () => now)).forCaller(main).size).toBe(1);
  now += 10 * DAY_MS;
  expect(labels.forCaller(main).size).toBe(0);
  expect(labels.list()).toEqual([]);
});

test("labels that a person clears are gone, in other processes too, until they come again", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await openLabels(temp, () => now);
  labels.noteRead(main, untrusted);
  labels.noteRead({ ...main, conversation: "c2" }, untrusted);
  await labels.close();
  const other = await openLabels(temp, () => now);
  now += 1;
  expect(await labels.clear("agt_main", "c1")).toBe(1);
  expect(labels.forCaller(main).size).toBe(0);
  expect(
    labels
      .list()
      .map(({ conversation }) => conversation)
      .sort(),
  ).toEqual(["(any call)", "c2"]);
  await other.reload();
  expect(other.forCaller(main).size).toBe(0);
  now += 1;
  other.noteRead(main, untrusted);
  await other.reload();
  expect(other.forCaller(main).size).toBe(1);
  expect(await labels.clear("agt_main")).toBe(1);
  expect(labels.forCaller({ ...sub, conversation: "own" }).size).toBe(0);
  await other.close();
});

test("what reads untrusted content may be limited from then on, which the audit shows", async () => {
  await using hub = await openExecutor({
    tools: [testTool({ name: "fetch", untrusted: true }), testTool({ name: "send", capabilities: ["net"] })],
    rules: [{ permission: "net", after: "untrusted_content", action: "deny", from: "user" }],
  });
  expect((await hub.call("send")).outcome).toBe("ok");
  expect((await hub.call("fetch")).outcome).toBe("ok");
  const denied = await hub.call("send");
  expect(denied.outcome).toBe("denied");
  expect(denied.error?.message).toContain("user: net after untrusted_content → deny");
  await hub.audit.flush();
  const calls = await callTables(hub.store).calls.list({ limit: 10, tool: "send" });
  expect(calls.map(({ labels }) => labels).sort()).toEqual(["untrusted_content", null].sort());
});
