import { describe, expect, it } from "vitest";
import type { TokenScope } from "../../../../src/contract/caller.ts";
import { memoryStore } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { type TestHub, testHub } from "../../../support/test-hub.ts";

const DAY = 86_400_000;
const spaces = { shared: { read: ["*"], write: [] }, team: { read: ["ada"], write: ["ada"] } };

function setUp(clock?: () => number) {
  return testHub({
    agents: { ada: ["knowledge", "research"], bob: ["knowledge", "research"] },
    settings: { memory: { spaces }, knowledge: { labels: { private: ["ada"] } } },
    ...(clock && { clock }),
  });
}

function as(test: TestHub, agent: string, scopes: readonly TokenScope[]) {
  const { identity } = test.hub;
  const caller = identity.callerFor(identity.agent(agent), { tokenId: null, scopes, conversation: "test" });
  return (name: string, args: object) => test.hub.callTool({ name, arguments: args, caller, via: "library" });
}

describe("memory_put, memory_get and memory_search", () => {
  it("keep one value under a key, with tags and metadata, and give it back by key or id", async () => {
    await using test = await setUp();
    const args = { key: "release.day", content: "Friday", tags: ["Release"], metadata: { by: "Ada" } };
    const stored = await test.call("memory_put", args, "ada");
    expect(stored.structured).toMatchObject({
      memory: {
        key: "release.day",
        content: "Friday",
        tags: ["release"],
        metadata: { by: "Ada" },
        space: "own",
      },
      superseded: false,
    });
    await test.call("memory_put", { key: "release.day", content: "Monday" }, "ada");
    const got = await test.call("memory_get", { key: "release.day", history: true }, "ada");
    expect(got.structured).toMatchObject({
      memory: { content: "Monday" },
      history: [{ content: "Friday", reason: "superseded" }],
    });
    const { id } = (got.structured as { memory: { id: string } }).memory;
    expect((await test.call("memory_get", { id }, "ada")).structured).toMatchObject({ memory: { id } });
    expect((await test.call("memory_get", { key: "release.day" }, "bob")).structured).toEqual({
      memory: null,
    });
    const found = await test.call("memory_search", { query: "release monday" }, "ada");
    expect(found.structured).toMatchObject({
      results: [{ id, key: "release.day", snippet: "Monday", score: 1 }],
    });
  });

  it("are two ways to the same memories as recall and memorize", async () => {
    await using test = await setUp();
    await test.call("memory_put", { key: "editor", content: "Ada prefers vim.", type: "preference" }, "ada");
    expect((await test.call("recall", { query: "vim", type: "preference" }, "ada")).text).toContain("editor");
    expect((await test.call("recall", { query: "vim", type: "event" }, "ada")).text).toContain("Nothing");
    await test.call("memorize", { text: "Ada prefers emacs.", key: "editor" }, "ada");
    expect((await test.call("memory_get", { key: "editor" }, "ada")).text).toContain("emacs");
  });

  it("end when they are said to end", async () => {
    let now = Date.now();
    await using test = await setUp(() => now);
    await test.call("memory_put", { key: "a", content: "for two days", ttl_days: 2 }, "ada");
    const expires_at = new Date(now + DAY).toISOString();
    await test.call("memory_put", { key: "b", content: "for one day", ttl_days: 2, expires_at }, "ada");
    now += DAY;
    expect((await test.call("memory_get", { key: "b" }, "ada")).structured).toEqual({ memory: null });
    expect((await test.call("memory_get", { key: "a" }, "ada")).text).toContain("two days");
    now += DAY;
    expect((await test.call("memory_search", { query: "day days" }, "ada")).structured).toEqual({
      results: [],
    });
  });

  it("refuse what cannot be kept, and say why", async () => {
    await using test = await setUp();
    const refusals: [object, string][] = [
      [{ key: " ", content: "x" }, "Expected a key"],
      [{ key: "k".repeat(201), content: "x" }, "200 characters"],
      [{ key: "k", content: " " }, "Expected content"],
      [{ key: "k", content: "x".repeat(10_001) }, "inbox_put"],
      [{ key: "k", content: "x", tags: Array.from({ length: 21 }, String) }, "at most 20 tags"],
      [{ key: "k", content: "x", ttl_days: 0 }, "ttl_days"],
      [{ key: "k", content: "x", expires_at: "tomorrow" }, "ISO time"],
      [{ key: "k", content: "x", expires_at: "2001-01-01" }, "over already"],
      [{ key: "k", content: "x", metadata: { a: "x".repeat(5_000) } }, "4000 characters"],
      [{ key: "k", content: "x", space: "shared" }, "may not write to the space"],
      [{ key: "k", content: "x", label: "secret-club" }, "may not use the label"],
    ];
    for (const [args, said] of refusals) {
      const { outcome, text } = await test.call("memory_put", args, "ada");
      expect([outcome, text], said).toEqual(["failed", expect.stringContaining(said)]);
    }
    expect((await test.call("memory_get", {}, "ada")).text).toContain("an id or a key");
    expect(await memoryStore(test.hub.store.database).count({ at: Date.now() })).toBe(0);
  });

  it("take out secrets before anything is kept", async () => {
    await using test = await setUp();
    const token = `ghp_${"a1".repeat(18)}`;
    const args = { key: "k", content: `push with ${token}`, tags: [token], metadata: { [token]: [token] } };
    expect((await test.call("memory_put", args, "ada")).text).toContain("A secret was taken out");
    await test.call("memory_put", { key: "k", content: "something else" }, "ada");
    const { tables } = await test.hub.store.dump();
    for (const table of ["memories", "memoryVersions"])
      expect(JSON.stringify(tables[table]), table).not.toContain(token);
  });
});

describe("shared spaces", () => {
  it("are read by whom the settings name, written by whom they name, and by people", async () => {
    await using test = await setUp();
    await test.call("memory_put", { key: "door", content: "The door is green.", space: "shared" });
    for (const agent of ["ada", "bob"]) {
      expect((await test.call("recall", { query: "door" }, agent)).text, agent).toContain("green");
      expect((await test.call("memory_get", { key: "door" }, agent)).structured, agent).toMatchObject({
        memory: { space: "shared" },
      });
    }
    const { structured } = await test.call("memorize", { text: "Team lunch at noon.", space: "team" }, "ada");
    const { id } = (structured as { memory: { id: string } }).memory;
    expect((await test.call("recall", { query: "lunch" }, "ada")).text).toContain(id);
    expect((await test.call("recall", { query: "lunch" }, "bob")).text).toContain("Nothing");
    expect((await test.call("recall", { query: "lunch", space: "team" }, "bob")).text).toContain("Nothing");
    expect((await test.call("memory_get", { id }, "bob")).structured).toEqual({ memory: null });
    expect((await test.call("forget", { id }, "bob")).text).toContain("You have no memory");
    const { id: door } = (
      (await test.call("memory_get", { key: "door" }, "ada")).structured as { memory: { id: string } }
    ).memory;
    expect((await test.call("update_memory", { id: door, text: "red" }, "ada")).text).toContain("no memory");
    expect((await test.call("update_memory", { id, retract: true }, "ada")).text).toBe(`Retracted ${id}.`);
    expect((await test.call("recall", { query: "lunch" }, "ada")).text).toContain("Nothing");
  });
});

describe("labelled memories", () => {
  it("are seen by tokens with the label, by agents that the settings give it to, and by nobody else", async () => {
    await using test = await setUp();
    const reading: TokenScope[] = ["memory.read", "memory.write"];
    const put = { key: "salary", content: "It is a large salary.", label: "private" };
    expect((await test.call("memory_put", put, "ada")).outcome).toBe("ok");
    const { id } = (
      (await test.call("memory_get", { key: "salary" }, "ada")).structured as { memory: { id: string } }
    ).memory;
    // A token with scopes has the labels among them and no other, whatever the settings give its agent.
    const narrow = as(test, "ada", reading);
    for (const [name, args] of [
      ["memory_get", { key: "salary" }],
      ["memory_get", { id, history: true }],
      ["memory_search", { query: "large salary" }],
      ["recall", { query: "large salary" }],
      ["update_memory", { id, text: "x" }],
      ["forget", { id }],
    ] as const) {
      const { text, structured } = await narrow(name, args);
      expect(`${text}${JSON.stringify(structured)}`, name).not.toMatch(/large salary\.|private/);
    }
    expect((await narrow("memory_put", { ...put, content: "mine" })).text).toContain("may not use the label");
    expect((await narrow("memory_put", { key: "salary", content: "none" })).structured).toMatchObject({
      superseded: false,
    });
    const wide = as(test, "ada", [...reading, "label:private"]);
    expect((await wide("memory_search", { query: "large" })).text).toContain("large salary.");
    expect((await test.call("memory_get", { id })).structured).toEqual({ memory: null });
  });
});
