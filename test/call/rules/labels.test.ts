import { expect, test } from "vitest";
import { Labels } from "../../../src/call/rules/labels.ts";
import { openStore } from "../../../src/machine/db/open.ts";
import type { LabelStore } from "../../../src/machine/db/tables/trust/label-record.ts";
import { openExecutor } from "../../support/executor.ts";
import { tempStore } from "../../support/temp-store.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const untrusted = { untrusted: true };
const main = testCaller({ agentId: "agt_main", conversation: "c1" });
const sub = testCaller({ agentId: "agt_sub", parentId: "agt_main", conversation: "c1" });

test("labels are inherited by sub-agents, outlast a restart and reach other processes", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const deps = {
    store: temp.store.labels,
    clock: () => now,
    parentOf: () => null,
    onProblem: (error: unknown) => expect(error).toBe(null),
  };
  const labels = await Labels.open(deps);
  const otherStore = await openStore({ home: temp.home, databaseUrl: null, clock: Date.now });
  const other = await Labels.open({ ...deps, store: otherStore.labels });

  labels.read(main, {});
  expect(labels.of(main).size).toBe(0);
  labels.read(main, untrusted);
  labels.read(main, { labels: ["secrets"] });
  expect([...labels.of(main)]).toEqual(["untrusted_content", "secrets"]);
  expect([...labels.of(sub)]).toEqual(["untrusted_content", "secrets"]);
  expect(labels.of({ ...main, conversation: "c2" }).size).toBe(0);
  // It has a conversation of its own, and works for the parent's newest.
  expect(labels.of({ ...sub, conversation: "own" }).size).toBe(2);
  await labels.close();

  await other.reload();
  expect([...other.of(main)]).toEqual(["untrusted_content", "secrets"]);
  expect([...(await Labels.open(deps)).of(main)]).toEqual(["untrusted_content", "secrets"]);

  now += DAY_MS;
  expect(labels.of({ ...sub, conversation: "own" }).size).toBe(0);
  expect(await temp.store.prune("labels", now, 10)).toBe(2);
  await otherStore.close();
});

test("labels reach those who work for a sub-agent, however far below, and a ring of parents ends", async () => {
  await using temp = await tempStore();
  const parents: Record<string, string> = { agt_low: "agt_sub", agt_sub: "agt_main", agt_main: "agt_low" };
  const labels = new Labels({
    store: temp.store.labels,
    clock: () => 0,
    parentOf: (id) => parents[id] ?? null,
    onProblem: (error) => expect(error).toBe(null),
  });
  const low = testCaller({ agentId: "agt_low", parentId: "agt_sub", conversation: "own" });
  labels.read(main, untrusted);
  labels.read({ ...sub, conversation: "other" }, { labels: ["secrets"] });
  expect([...labels.of(low)].sort()).toEqual(["secrets", "untrusted_content"]);
  expect(labels.of(testCaller({ agentId: "agt_else", conversation: "own" })).size).toBe(0);
  await labels.close();
});

const opened = (temp: { store: { labels: LabelStore } }, clock: () => number) =>
  Labels.open({
    store: temp.store.labels,
    clock,
    parentOf: () => null,
    onProblem: (error) => expect(error).toBe(null),
  });

test("labels stay with an agent whatever session, token or conversation its calls come with, for a day", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await opened(temp, () => now);
  const named = (conversation: string, tokenId: string | null = "tok_1") =>
    testCaller({ agentId: "agt_main", tokenId, conversation });
  labels.read(named("c1"), untrusted);
  for (const other of [named("c2"), named("tok_1"), named("c2", "tok_2"), named("c1", "tok_2")])
    expect(labels.of(other).has("untrusted_content")).toBe(true);
  // What the program around the hub opens is a conversation of its own: no agent chooses it.
  expect(labels.of(named("c2", null)).size).toBe(0);
  expect(labels.of({ ...named("c2"), agentId: "agt_else" }).size).toBe(0);
  labels.read(named("c3", null), { labels: ["secrets"] });
  expect(labels.of(named("c2")).has("secrets")).toBe(true);
  now += DAY_MS;
  expect(labels.of(named("c2")).size).toBe(0);
  expect([...labels.of(named("c1"))]).toEqual(["untrusted_content"]);
  await labels.close();
});

test("what counts for every call of an agent goes when the last of its conversations is cleared", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await opened(temp, () => now);
  const token = testCaller({ agentId: "agt_main", tokenId: "tok_1", conversation: "new" });
  for (const conversation of ["c1", "c2"]) labels.read({ ...main, conversation }, untrusted);
  now += 1;
  expect(await labels.clear("agt_main", "c1")).toBe(1);
  expect(labels.of(token).size).toBe(1);
  expect(await labels.clear("agt_main", "c2")).toBe(1);
  expect(labels.of(token).size).toBe(0);
  await labels.close();
});

test("an agent with very many conversations rids no other of what counts for all its calls", async () => {
  await using temp = await tempStore();
  const kept: unknown[] = [];
  const store: LabelStore = { list: async () => [], put: async (record) => void kept.push(record) };
  const labels = await opened({ store: { ...temp.store, labels: store } }, () => 1);
  const quiet = testCaller({ agentId: "agt_quiet", tokenId: "tok_2", conversation: "c" });
  labels.read(quiet, untrusted);
  for (let at = 0; at < 20_100; at++) labels.read({ ...main, conversation: `c${at}` }, untrusted);
  expect(labels.of({ ...quiet, conversation: "other" }).size).toBe(1);
  expect(labels.of({ ...main, tokenId: "tok_1", conversation: "other" }).size).toBe(1);
  await labels.close();
});

test("a conversation with as many labels as there may be still gets that of untrusted content", async () => {
  await using temp = await tempStore();
  const labels = await opened(temp, () => 1);
  labels.read(main, { labels: Array.from({ length: 30 }, (_, index) => `l${index}`) });
  expect(labels.of(main).size).toBe(20);
  labels.read(main, untrusted);
  expect(labels.of(main).has("untrusted_content")).toBe(true);
  await labels.close();
});

test("labels are over 30 days after they were met last, also without a restart", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await opened(temp, () => now);
  labels.read(main, untrusted);
  now += 20 * DAY_MS;
  labels.read(main, untrusted);
  now += 20 * DAY_MS;
  expect(labels.of(main).size).toBe(1);
  await labels.close();
  expect((await opened(temp, () => now)).of(main).size).toBe(1);
  now += 10 * DAY_MS;
  expect(labels.of(main).size).toBe(0);
  expect(labels.list()).toEqual([]);
});

test("labels that a person clears are gone, in other processes too, until they come again", async () => {
  await using temp = await tempStore();
  let now = 40 * DAY_MS;
  const labels = await opened(temp, () => now);
  labels.read(main, untrusted);
  labels.read({ ...main, conversation: "c2" }, untrusted);
  await labels.close();
  const other = await opened(temp, () => now);
  now += 1;
  expect(await labels.clear("agt_main", "c1")).toBe(1);
  expect(labels.of(main).size).toBe(0);
  expect(
    labels
      .list()
      .map(({ conversation }) => conversation)
      .sort(),
  ).toEqual(["(any call)", "c2"]);
  await other.reload();
  expect(other.of(main).size).toBe(0);
  now += 1;
  other.read(main, untrusted);
  await other.reload();
  expect(other.of(main).size).toBe(1);
  expect(await labels.clear("agt_main")).toBe(1);
  expect(labels.of({ ...sub, conversation: "own" }).size).toBe(0);
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
  const calls = await hub.store.calls.list({ limit: 10, tool: "send" });
  expect(calls.map(({ labels }) => labels).sort()).toEqual(["untrusted_content", null].sort());
});
