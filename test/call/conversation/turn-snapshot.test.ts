import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inDeep } from "../../support/length.ts";
import { tempHome } from "../../support/temp-home.ts";
import { EVERYTHING, testHub } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const GROWING = fixture("changes its list") as { command: string; args: string[] };

async function openGrowingServer(settings = {}) {
  const test = await testHub({
    servers: { growing: GROWING },
    toolboxes: { growing: ["mcp:growing:*"] },
    agents: { ann: ["growing"] },
    settings,
  });
  await test.hub.upstream.test("growing");
  return test;
}

describe("a turn under way", () => {
  it("sees the old list while the server's list changes, and the next one the new list", async () => {
    await using test = await openGrowingServer();
    const session = test.hub.session({ agent: "ann" });
    const turn = await session.turn();
    const before = turn.tools.map(({ name }) => name);
    expect(before).toContain("mcp_growing_grow");
    expect((await turn.call({ name: "mcp_growing_grow", arguments: {} })).text).toBe("grown");
    await waitUntil("the new tool is known", () => test.hub.catalog.get("mcp_growing_grown_1") !== undefined);

    expect(turn.tools.map(({ name }) => name)).toEqual(before);
    const early = await turn.call({ name: "mcp_growing_grown_1", arguments: {} });
    expect(early.outcome).toBe("unknown_tool");
    expect(early.error).toMatchObject({ remedy: "Call it in the next turn." });
    expect((await turn.call({ name: "mcp_growing_grow", arguments: {} })).outcome).toBe("ok");

    const next = await session.turn();
    expect(next.revision).not.toBe(turn.revision);
    expect(next.tools.map(({ name }) => name)).toContain("mcp_growing_grown_1");
    expect((await next.call({ name: "mcp_growing_grown_1", arguments: {} })).outcome).toBe("ok");
  });

  it("keeps a server unavailable once it saw it so, even if it comes back; the next turn has it", async () => {
    await using home = await tempHome();
    const flag = join(home.path, "dies");
    await using test = await testHub({
      servers: { frail: fixture("dies while a file is there", flag) as object },
      toolboxes: { frail: ["mcp:frail:*"] },
      agents: { ann: ["frail"] },
    });
    await test.hub.upstream.test("frail");
    const session = test.hub.session({ agent: "ann" });
    const [turn, beside] = [await session.turn(), await session.turn()];
    const call = async (of: typeof turn, name: string) =>
      (await of.call({ name: `mcp_frail_${name}`, arguments: {} })).outcome;
    expect(await call(turn, "die")).toBe("ok");
    await writeFile(flag, "");
    expect(await call(turn, "die")).toBe("unavailable");
    await rm(flag);
    await test.hub.upstream.test("frail");
    // It is back for those who did not see it leave.
    expect(await call(beside, "die")).toBe("ok");
    for (const name of ["die", "other", "die"]) expect(await call(turn, name), name).toBe("unavailable");
    const [together] = await turn.callAll([{ name: "mcp_frail_other", arguments: {} }]);
    expect(together?.outcome).toBe("unavailable");
    expect((await turn.call({ name: "think", arguments: { thought: "x" } })).outcome).toBe("ok");
    const next = await session.turn();
    expect(await call(next, "die")).toBe("ok");
    expect(await call(next, "other")).toBe("ok");
  });

  it("cannot call what was taken away from its agent since, nor anything once the agent is gone", async () => {
    await using test = await openGrowingServer();
    const turn = await test.hub.session({ agent: "ann" }).turn();
    await test.hub.identity.updateAgent("ann", { toolboxes: [] });
    expect((await turn.call({ name: "mcp_growing_grow", arguments: {} })).outcome).toBe("not_granted");
    await test.hub.identity.deleteAgent("ann");
    expect((await turn.call({ name: "think", arguments: { thought: "x" } })).outcome).toBe("not_granted");
  });

  it("cannot call what a person has disabled since", async () => {
    await using test = await testHub({
      toolboxes: { growing: ["mcp:growing:*"] },
      agents: { ann: ["growing"] },
    });
    await test.hub.upstream.add("growing", GROWING);
    await test.hub.upstream.test("growing");
    const turn = await test.hub.session({ agent: "ann" }).turn();
    expect((await turn.call({ name: "mcp_growing_grow", arguments: {} })).outcome).toBe("ok");
    await test.hub.upstream.update("growing", { enabled: false });
    expect((await turn.call({ name: "mcp_growing_grow", arguments: {} })).outcome).toBe("disabled");
  });
});

describe("a conversation in a program", () => {
  it("finds a deferred tool in one turn and has it in the next, also after the program began anew", async () => {
    await using test = await testHub({
      servers: { everything: EVERYTHING },
      toolboxes: { everything: ["mcp:everything:*"] },
      agents: { ann: ["everything"] },
      settings: { deferred_loading: "auto" },
    });
    await test.hub.upstream.test("everything");
    const first = await test.hub.session({ agent: "ann", conversation: "chat" }).turn();
    expect(first.tools.map(({ name }) => name)).not.toContain("mcp_everything_get_sum");
    expect(first.deferred.map(({ name }) => name)).toContain("mcp_everything_get_sum");
    expect(first.promptSection).toContain("mcp_everything_get_sum");
    const found = await first.call({ name: "tool_search", arguments: { query: "add two numbers" } });
    expect(found.text).toContain("mcp_everything_get_sum");
    // A tool found in this turn can be called in it, and is listed from the next turn on.
    expect((await first.call({ name: "mcp_everything_get_sum", arguments: { a: 1, b: 2 } })).outcome).toBe(
      "ok",
    );
    const second = await test.hub.session({ agent: "ann", conversation: "chat" }).turn();
    expect(second.tools.map(({ name }) => name)).toContain("mcp_everything_get_sum");
    const other = await test.hub.session({ agent: "ann", conversation: "another" }).turn();
    expect(other.tools.map(({ name }) => name)).not.toContain("mcp_everything_get_sum");
  });

  inDeep("has as many tools as its model takes, the longest unused out again and named", async () => {
    await using test = await testHub({
      servers: { everything: EVERYTHING },
      toolboxes: { everything: ["mcp:everything:*"] },
      agents: { ann: ["everything"] },
      settings: { deferred_loading: "auto", tool_search: { models: { tiny: { max_tools: 20 } } } },
    });
    await test.hub.upstream.test("everything");
    const session = test.hub.session({ agent: "ann", model: "tiny" });
    const search = async (name: string) => {
      const turn = await session.turn();
      expect(turn.tools.length).toBeLessThanOrEqual(20);
      return (await turn.call({ name: "tool_search", arguments: { query: `select:${name}` } })).text;
    };
    expect(await search("echo")).not.toContain("Your list is full");
    await search("get-sum");
    const third = await search("get-tiny-image");
    expect(third).toContain("Removed from it, as the longest unused: mcp_everything_echo.");
    const turn = await session.turn();
    expect(turn.retired.map(({ name }) => name)).toEqual(["mcp_everything_echo"]);
    expect((await turn.call({ name: "mcp_everything_echo", arguments: { message: "x" } })).outcome).toBe(
      "ok",
    );
    // Once used, it is back in the list, in place of the longest unused tool.
    await waitUntil("it is in the list", async () =>
      (await session.turn()).tools.some(({ name }) => name === "mcp_everything_echo"),
    );
    expect((await session.turn()).retired.map(({ name }) => name)).toEqual(["mcp_everything_get_sum"]);
  });
});
