import { describe, expect, it } from "vitest";
import { ToolRanking } from "../../../src/call/search/tool-ranking.ts";
import { ToolUsage } from "../../../src/call/search/usage.ts";
import type { Caller } from "../../../src/contract/caller.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { openStore } from "../../../src/machine/db/open.ts";
import { agent } from "../../machine/db/records.ts";
import { accessTables } from "../../support/access-tables.ts";
import { callTables } from "../../support/call-tables.ts";
import { tempStore } from "../../support/temp-store.ts";
import { testTool } from "../../support/tools.ts";

const MINUTE = 60_000;
const ADA = { agentId: "agt_ada", conversation: "c", operator: false } as Caller;

/** Usage over a real store with two agents; the test sets the clock and the switch. */
async function setUp() {
  const temp = await tempStore();
  for (const name of ["ada", "bob"]) await accessTables(temp.store).agents.create(agent(name));
  const state = { now: 1_000 * MINUTE, isOn: true };
  const deps = {
    isOn: () => state.isOn,
    store: callTables(temp.store).toolUses,
    ownerOf: ({ agentId }: Caller) => agentId,
    redact: (text: string) => text.replaceAll("hunter2", "***"),
    clock: () => state.now,
    log: silentLog,
  };
  const usage = new ToolUsage(deps);
  return {
    state,
    usage,
    again: () => new ToolUsage(deps),
    store: temp.store,
    /** What a tool gains for a query, once everything is written. */
    async gain(query: string, tool: string, caller = ADA, of = usage) {
      await usage.close();
      return (await of.lift(caller, query))?.(tool) ?? 0;
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

describe("what was called after a search", () => {
  it("lifts the tool where the same words are asked for, the more often the more, and within bounds", async () => {
    await using t = await setUp();
    expect(await t.gain("send mail", "post")).toBe(0);
    let before = 0;
    for (let times = 0; times < 30; times++) {
      t.usage.noteSearch(ADA, "Sending mails", ["post", "fax"]);
      t.usage.noteCall(ADA, "post");
      const gain = await t.gain("send mail", "post");
      expect(gain).toBeGreaterThan(before);
      expect(gain).toBeLessThan(6);
      before = gain;
    }
    expect(await t.gain("send mail", "fax")).toBe(0);
    expect(await t.gain("send a fax about mail to everybody", "post")).toBeLessThan(before / 2);
    expect(await t.gain("weather", "post")).toBe(0);
  });

  it("is known after a restart", async () => {
    await using t = await setUp();
    t.usage.noteSearch(ADA, "send mail", ["post"]);
    t.usage.noteCall(ADA, "post");
    const gain = await t.gain("send mail", "post");
    expect(gain).toBeGreaterThan(0);
    expect(await t.gain("send mail", "post", ADA, t.again())).toBe(gain);
  });

  it("counts once for a search, for what it found, in its conversation, and not much later", async () => {
    await using t = await setUp();
    t.usage.noteCall(ADA, "post");
    t.usage.noteSearch(ADA, "send mail", ["post", "fax"]);
    t.usage.noteCall(ADA, "other");
    t.usage.noteCall({ ...ADA, conversation: "another" }, "post");
    t.usage.noteCall({ ...ADA, agentId: "agt_bob" }, "post");
    t.state.now += 31 * MINUTE;
    t.usage.noteCall(ADA, "post");
    expect(await t.gain("send mail", "post")).toBe(0);

    t.usage.noteSearch(ADA, "send mail", ["post", "fax"]);
    t.usage.noteCall(ADA, "post");
    const once = await t.gain("send mail", "post");
    t.usage.noteCall(ADA, "post");
    expect(await t.gain("send mail", "post")).toBe(once);
    t.usage.noteCall(ADA, "fax");
    expect(await t.gain("send mail", "fax")).toBe(once);
  });

  it("is each agent's own", async () => {
    await using t = await setUp();
    t.usage.noteSearch(ADA, "send mail", ["post"]);
    t.usage.noteCall(ADA, "post");
    expect(await t.gain("send mail", "post", { ...ADA, agentId: "agt_bob" })).toBe(0);
  });

  it("is neither noted nor used while it is off, nor for the operator", async () => {
    await using t = await setUp();
    const operator = { ...ADA, operator: true };
    t.usage.noteSearch(operator, "send mail", ["post"]);
    t.usage.noteCall(operator, "post");
    t.state.isOn = false;
    t.usage.noteSearch(ADA, "send mail", ["post"]);
    t.usage.noteCall(ADA, "post");
    await t.usage.close();
    expect(await callTables(t.store).toolUses.list("agt_ada", 10)).toEqual([]);
    t.state.isOn = true;
    t.usage.noteSearch(ADA, "send mail", ["post"]);
    t.usage.noteCall(ADA, "post");
    expect(await t.gain("send mail", "post")).toBeGreaterThan(0);
    t.state.isOn = false;
    expect(await t.gain("send mail", "post")).toBe(0);
  });

  it("keeps no secret and no more than the first words of a query", async () => {
    await using t = await setUp();
    t.usage.noteSearch(
      ADA,
      `hunter2 ${"word ".repeat(10)}${Array.from({ length: 99 }, (_, at) => `w${at}`)}`,
      ["post"],
    );
    t.usage.noteCall(ADA, "post");
    await t.usage.close();
    const kept = await callTables(t.store).toolUses.list("agt_ada", 100);
    expect(kept.length).toBe(16);
    expect(JSON.stringify(kept)).not.toContain("hunter2");
  });

  it("costs no search where the store fails", async () => {
    await using temp = await tempStore();
    const closed = await openStore({ home: temp.home, databaseUrl: null, clock: () => 0 });
    await closed.close();
    const logged: object[] = [];
    const usage = new ToolUsage({
      isOn: () => true,
      store: callTables(closed).toolUses,
      ownerOf: () => "agt_ada",
      redact: (text) => text,
      clock: () => 0,
      log: { ...silentLog, warn: (fields) => logged.push(fields) },
    });
    usage.noteSearch(ADA, "send mail", ["post"]);
    usage.noteCall(ADA, "post");
    expect(await usage.lift(ADA, "send mail")).toBeUndefined();
    await usage.close();
    expect(logged).toHaveLength(2);
  });

  it("settles a ranking that is close, and lifts nothing that does not fit", async () => {
    await using t = await setUp();
    const tools = ["fax", "post", "weather"].map((name) =>
      testTool({ name, description: name === "weather" ? "tells of rain" : "sends a letter" }),
    );
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const ranking = new ToolRanking({
      tool: (name) => byName.get(name),
      revision: () => 1,
      offerers: () => new Map(),
    });
    const found = async () => {
      const lift = await t.usage.lift(ADA, "send a letter");
      return (await ranking.search("send a letter", tools, 2, lift)).map(({ tool }) => tool.name);
    };
    expect(await found()).toEqual(["fax", "post"]);
    t.usage.noteSearch(ADA, "send a letter", ["fax", "post", "weather"]);
    for (const name of ["post", "weather"]) t.usage.noteCall(ADA, name);
    await t.usage.close();
    expect(await found()).toEqual(["post", "fax"]);
  });
});
