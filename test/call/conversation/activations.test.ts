import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Activations } from "../../../src/call/conversation/activations.ts";
import { conversationKey } from "../../../src/call/conversation/tables.ts";
import { agent } from "../../machine/db/records.ts";
import { accessTables } from "../../support/access-tables.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { tempStore } from "../../support/temp-store.ts";

const ADA = { agentId: "agt_ada", conversation: "chat", parentId: null, tokenId: "tok_1" };
const KID = { agentId: "agt_kid", conversation: "work", parentId: "agt_ada", tokenId: "tok_2" };
const GRANDKID = { agentId: "agt_grandkid", conversation: "deeper", parentId: "agt_kid", tokenId: null };

let t: Awaited<ReturnType<typeof tempStore>>;
let now: number;
let problems: unknown[];
beforeEach(async () => {
  t = await tempStore();
  now = 1_000_000;
  problems = [];
  await accessTables(t.store).agents.create(agent("ada"));
  await accessTables(t.store).agents.create(agent("kid", { parentId: "agt_ada" }));
  await accessTables(t.store).agents.create(agent("grandkid", { parentId: "agt_kid" }));
});
afterEach(() => t[Symbol.asyncDispose]());

function activationsOver(
  store: Pick<ReturnType<typeof accessTables>, "activations"> = accessTables(t.store),
): Activations {
  const parents: Record<string, string | null> = { agt_kid: "agt_ada", agt_grandkid: "agt_kid" };
  return new Activations({
    store: store.activations,
    clock: () => now++,
    parentOf: (id) => parents[id] ?? null,
    onProblem: (error) => problems.push(error),
  });
}

async function namesOf(activations: Activations, conversation: typeof ADA | typeof KID | typeof GRANDKID) {
  return [...(await activations.get(conversation)).keys()].sort();
}

describe("activated tools", () => {
  it("belong to one conversation of one agent, and outlast the process", async () => {
    const before = activationsOver();
    expect(await before.activate(ADA, ["b", "a"])).toEqual(["b", "a"]);
    expect(await before.activate(ADA, ["a", "c"])).toEqual(["c"]);
    const after = activationsOver();
    expect(await namesOf(after, ADA)).toEqual(["a", "b", "c"]);
    expect(await namesOf(after, { ...ADA, conversation: "other" })).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("are known at once after the first look, as the same object until something is added", async () => {
    const activations = activationsOver();
    await activations.get(ADA);
    const known = activations.get(ADA);
    expect(known).not.toBeInstanceOf(Promise);
    expect(activations.get(ADA)).toBe(known);
    await activations.activate(ADA, ["a"]);
    expect(activations.get(ADA)).not.toBe(known);
  });

  it("of a parent are its sub-agents' too, and theirs in turn, also those that come later", async () => {
    const activations = activationsOver();
    expect(await namesOf(activations, GRANDKID)).toEqual([]);
    await activations.activate(ADA, ["a"]);
    await activations.activate(KID, ["k"]);
    expect(await namesOf(activations, KID)).toEqual(["a", "k"]);
    expect(await namesOf(activations, GRANDKID)).toEqual(["a", "k"]);
    await activations.activate(ADA, ["late"]);
    expect(await namesOf(activations, GRANDKID)).toEqual(["a", "k", "late"]);
    expect(await namesOf(activations, ADA)).toEqual(["a", "late"]);
    expect(await namesOf(activationsOver(), GRANDKID)).toEqual(["a", "k", "late"]);
  });

  it("are inherited from the same conversation where the parent has it, else from its last", async () => {
    const activations = activationsOver();
    await activations.activate({ ...ADA, conversation: "work" }, ["same"]);
    await activations.activate(ADA, ["newer"]);
    expect(await namesOf(activations, KID)).toEqual(["same"]);
    expect(await namesOf(activations, { ...KID, conversation: "elsewhere" })).toEqual(["newer"]);
  });

  it("carry over to the next conversation of the same token, if that starts soon enough", async () => {
    const activations = activationsOver();
    await activations.activate(ADA, ["a"]);
    const next = { ...ADA, conversation: "next" };
    await activations.carryOver({ ...next, tokenId: "tok_9" }, 0);
    expect(await namesOf(activations, next)).toEqual([]);
    await activations.carryOver(next, now + 1);
    expect(await namesOf(activations, next)).toEqual([]);
    await activations.carryOver(next, 0);
    expect(await namesOf(activations, next)).toEqual(["a"]);
    expect(await namesOf(activationsOver(), next)).toEqual(["a"]);
  });

  it("end with their conversation", async () => {
    const activations = activationsOver();
    await activations.activate(ADA, ["a"]);
    await activations.forget(ADA);
    expect(await namesOf(activations, ADA)).toEqual([]);
    expect(await namesOf(activationsOver(), ADA)).toEqual([]);
  });

  it("are at most 200, the longest unused forgotten first, in memory and in the store", async () => {
    const activations = activationsOver();
    const many = Array.from({ length: 200 }, (_, index) => `tool_${String(index).padStart(3, "0")}`);
    await activations.activate(ADA, many);
    now += 100_000;
    activations.noteUse(ADA, "tool_000");
    await activations.activate(ADA, ["new"]);
    for (const each of [activations, activationsOver()]) {
      const names = await namesOf(each, ADA);
      expect(names).toHaveLength(200);
      expect(names).toContain("tool_000");
      expect(names).toContain("new");
      expect(names).not.toContain("tool_001");
    }
  });

  it("are in the store with their last use when the process ends in good order", async () => {
    const activations = activationsOver();
    await activations.activate(ADA, ["a", "b"]);
    now += 100_000;
    activations.noteUse(ADA, "a");
    await activations.close();
    const records = await accessTables(t.store).activations.list(ADA.agentId, ADA.conversation);
    expect(records.map(({ tool }) => tool)).toEqual(["b", "a"]);
    expect(records[1]!.usedAt - records[0]!.usedAt).toBeGreaterThan(90_000);
  });

  it("count without the store, whose failure is reported", async () => {
    const broken = new Proxy(accessTables(t.store).activations, {
      get: () => () => Promise.reject(new Error("the disk is full")),
    });
    const activations = activationsOver({ activations: broken });
    expect(await activations.activate(ADA, ["a"])).toEqual(["a"]);
    expect(await namesOf(activations, ADA)).toEqual(["a"]);
    expect(problems.length).toBeGreaterThan(0);
  });

  it("are read again once the store answers, and what was added meanwhile stays", async () => {
    await activationsOver().activate(ADA, ["kept"]);
    let isDown = true;
    const flaky = new Proxy(accessTables(t.store).activations, {
      get: (store, key) => (isDown ? () => Promise.reject(new Error("gone")) : Reflect.get(store, key)),
    });
    const activations = activationsOver({ activations: flaky });
    expect(await namesOf(activations, ADA)).toEqual([]);
    await activations.activate(ADA, ["meanwhile"]);
    isDown = false;
    now += 10_000;
    expect(await namesOf(activations, ADA)).toEqual(["kept", "meanwhile"]);
  });

  it("keep nobody waiting for a store that hangs", async () => {
    const hanging = new Proxy(accessTables(t.store).activations, { get: () => () => new Promise(() => {}) });
    const activations = activationsOver({ activations: hanging });
    const took = stopwatch();
    await Promise.all(["a", "b", "c", "d"].map((tool) => activations.activate(ADA, [tool])));
    expect(took()).toBeLessThan(4_000);
    expect(await namesOf(activations, ADA)).toEqual(["a", "b", "c", "d"]);
  });

  it("that are inherited are its own once they are used", async () => {
    const activations = activationsOver();
    await activations.activate(ADA, ["a"]);
    await activations.get(KID);
    expect(activations.noteUse(KID, "a")).toBe(true);
    expect(activations.noteUse(KID, "b")).toBe(false);
    await activations.close();
    await activations.activate(KID, []);
    const own = await accessTables(t.store).activations.list(KID.agentId, KID.conversation);
    expect(own.map(({ tool }) => tool)).toEqual(["a"]);
  });

  it("notify listeners once for new tools", async () => {
    const activations = activationsOver();
    let told = 0;
    const stop = activations.onChange(() => told++);
    await activations.activate(ADA, ["a"]);
    await activations.activate(ADA, ["a"]);
    expect(told).toBe(1);
    stop();
    await activations.activate(ADA, ["b"]);
    expect(told).toBe(1);
  });

  it("that another process changed are read again", async () => {
    const [here, there] = [activationsOver(), activationsOver()];
    expect(await namesOf(here, ADA)).toEqual([]);
    await there.activate(ADA, ["a"]);
    here.reload();
    expect(await namesOf(here, ADA)).toEqual(["a"]);
  });

  it("of other conversations than the one that another process changed are not read again", async () => {
    const read: string[] = [];
    const { activations: store } = accessTables(t.store);
    const list: typeof store.list = (agentId, conversation) => {
      read.push(conversation);
      return store.list(agentId, conversation);
    };
    const here = activationsOver({ activations: { ...store, list } });
    const other = { ...ADA, conversation: "other" };
    for (const conversation of [ADA, other, KID, GRANDKID]) await here.get(conversation);
    await activationsOver().activate(ADA, ["a"]);
    read.length = 0;
    here.reload(new Set([conversationKey(ADA)]));
    expect(await namesOf(here, ADA)).toEqual(["a"]);
    expect(await namesOf(here, other)).toEqual([]);
    expect(new Set(read)).toEqual(new Set([ADA.conversation]));
    expect(await namesOf(here, GRANDKID)).toEqual(["a"]);
  });
});
