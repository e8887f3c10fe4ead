import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { type TestHub, testHub } from "../../../support/test-hub.ts";

const setUp = () => testHub({ agents: { ada: ["research"], bob: ["research"], coder: ["code"] } });

async function memorized(test: TestHub, text: string, agent = "ada"): Promise<string> {
  const { outcome, structured } = await test.call("memorize", { text }, agent);
  expect(outcome).toBe("ok");
  return (structured as { memory: { id: string } }).memory.id;
}

describe("the memory tools", () => {
  it("remember for another conversation, change and forget", async () => {
    await using test = await setUp();
    const id = await memorized(test, "The release is built on Fridays.");
    const found = await test.call("recall", { query: "releases" }, "ada");
    expect(found.text).toMatch(
      new RegExp(`^${id} \\(\\d{4}-\\d\\d-\\d\\d\\): The release is built on Fridays\\.$`),
    );
    expect(found.structured).toMatchObject({ memories: [{ id, tags: [] }] });
    const changed = await test.call("update_memory", { id, text: "The release is built daily." }, "ada");
    expect(changed.text).toBe(`Updated as ${id}.`);
    expect((await test.call("recall", { query: "daily" }, "ada")).text).toContain("built daily");
    expect((await test.call("forget", { id }, "ada")).text).toBe(`Forgot ${id}.`);
    expect((await test.call("recall", { query: "daily" }, "ada")).text).toContain("Nothing is remembered");
  });

  it("keep what one agent remembers from every other", async () => {
    await using test = await setUp();
    const id = await memorized(test, "Ada likes tea.");
    expect((await test.call("recall", { query: "tea" }, "bob")).text).toContain("Nothing is remembered");
    for (const [name, args] of [
      ["forget", { id }],
      ["update_memory", { id, text: "x" }],
    ] as const)
      expect(await test.call(name, args, "bob")).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining("You have no memory"),
      });
    expect((await test.call("recall", { query: "tea" }, "ada")).text).toContain(id);
  });

  it("share one memory between an agent and those that work for it; a scout only reads", async () => {
    await using test = await setUp();
    const { identity } = test.hub;
    await identity.createAgent("helper", { parent: "ada", toolboxes: ["research"] });
    await identity.createAgent("deeper", { parent: "helper", toolboxes: ["research"] });
    await identity.createAgent("looker", { parent: "deeper", scout: true, toolboxes: ["research"] });
    const id = await memorized(test, "The key is under the mat.", "deeper");
    for (const agent of ["ada", "helper", "looker"])
      expect((await test.call("recall", { query: "mat" }, agent)).text, agent).toContain(id);
    for (const [name, args] of [
      ["memorize", { text: "x" }],
      ["update_memory", { id, text: "x" }],
      ["forget", { id }],
    ] as const)
      expect(await test.call(name, args, "looker"), name).toMatchObject({ outcome: "not_granted" });
    expect((await test.call("recall", { query: "mat" }, "bob")).text).toContain("Nothing");
  });

  it("go with the toolboxes: code reads only, and a token without the scope does neither", async () => {
    await using test = await setUp();
    expect((await test.call("recall", { query: "x" }, "coder")).outcome).toBe("ok");
    expect((await test.call("memorize", { text: "x" }, "coder")).outcome).toBe("not_granted");
    const { hub } = test;
    const reading = hub.identity.callerFor(hub.identity.agent("ada"), {
      tokenId: null,
      scopes: ["memory.read"],
      conversation: "test",
    });
    const call = (name: string, args: object) =>
      hub.callTool({ name, arguments: args, caller: reading, via: "library" });
    expect((await call("recall", { query: "x" })).outcome).toBe("ok");
    expect((await call("memorize", { text: "x" })).outcome).toBe("not_granted");
  });

  it("tell a model what is missing, and refuse what is too long", async () => {
    await using test = await setUp();
    expect((await test.call("recall", {}, "ada")).text).toContain("Expected a query, tags or both");
    expect((await test.call("memorize", { text: "  " }, "ada")).text).toContain("only spaces");
    expect((await test.call("update_memory", { id: "mem_x" }, "ada")).text).toContain("got neither");
    expect((await test.call("forget", { id: "mem_x" }, "ada")).text).toContain("recall shows the ids");
    for (const args of [{ text: "x".repeat(4_001) }, { text: "x", tags: Array(11).fill("a") }, {}])
      expect((await test.call("memorize", args, "ada")).outcome).toBe("invalid_arguments");
  });

  it("say that something is known or similar, and that a secret was taken out", async () => {
    await using test = await setUp();
    await test.hub.vault.put("DOOR", "open-sesame-1234");
    const id = await memorized(test, "The staging database is restored every Monday morning.");
    const again = { text: "the staging database is restored every monday morning." };
    expect((await test.call("memorize", again, "ada")).text).toBe(`You know this already, as ${id}.`);
    const near = { text: "The staging database is restored every Tuesday morning." };
    expect((await test.call("memorize", near, "ada")).text).toContain(
      `Something similar is known already:\n${id}`,
    );
    const secret = await test.call("memorize", { text: "the word is open-sesame-1234" }, "ada");
    expect(secret.text).toContain("A secret was taken out");
    const { tables } = await test.hub.store.dump();
    expect(JSON.stringify(tables.memories)).not.toContain("open-sesame");
  });

  it("end with the agent", async () => {
    await using test = await setUp();
    await memorized(test, "Bob was here.", "bob");
    await test.hub.identity.deleteAgent("bob");
    expect(await memoryStore(test.hub.store.database).count({ at: Date.now() })).toBe(0);
  });
});
