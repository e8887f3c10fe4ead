import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TestHub, testHub } from "../support/test-hub.ts";
import { waitUntil } from "../support/wait-until.ts";

let it: TestHub;

beforeEach(async () => {
  it = await testHub();
  const args = [join(import.meta.dirname, "../support/servers/fickle.mjs")];
  await it.hub.upstream.add("fickle", { command: process.execPath, args, timeoutMs: 10_000 });
  await it.hub.upstream.settled();
});
afterEach(() => it[Symbol.asyncDispose]());

const has = (name: string) => it.hub.upstream.tools().some((tool) => tool.name === `mcp_fickle_${name}`);
const ends = async (tool: string, args: Record<string, unknown> = {}) => {
  const { outcome, text } = await it.call(`mcp_fickle_${tool}`, args);
  return { outcome, text };
};

test("a list that changes during a call leaves the call alone, and counts from the next one on", async () => {
  const slow = ends("slow", { ms: 1_500 });
  const gone = it.hub.upstream.tools().find((tool) => tool.ownName === "goes")!;
  expect(await ends("turns", { x: "text" })).toMatchObject({ outcome: "ok" });

  expect(await ends("change")).toEqual({ outcome: "ok", text: "changed" });
  await waitUntil("the new list is known", () => has("comes") && !has("goes"));

  expect(await slow).toEqual({ outcome: "ok", text: "slow, but there" });
  expect(await ends("comes")).toMatchObject({ outcome: "ok" });
  expect(await ends("goes")).toMatchObject({ outcome: "unknown_tool" });
  expect(await ends("turns", { x: "text" })).toMatchObject({ outcome: "invalid_arguments" });
  expect(await ends("turns", { x: 7 })).toMatchObject({ outcome: "ok" });
  // Whoever still holds the tool of the old list gets an answer, too.
  expect(gone.status()).toEqual({ kind: "active" });
});

describe("a server that lies about its tools", () => {
  test.each([
    ["lists one that it does not have", "absent", {}, "failed", "Tool absent not found"],
    ["gives a schema with types that do not exist", "broken", { x: 1 }, "ok", 'broken {"x":1}'],
    ["gives a schema that refers to nothing", "circular", { x: 1 }, "ok", 'circular {"x":1}'],
    ["gives a schema that is elsewhere", "remote", { x: 1 }, "ok", 'remote {"x":1}'],
    ["gives a text for a schema", "odd", { x: 1 }, "ok", 'odd {"x":1}'],
    ["wants more than its schema says", "choosy", {}, "failed", "secret is required"],
    ["answers with something else than its output schema says", "boastful", {}, "ok", "none"],
  ])("and %s gets the call, and its answer is passed on", async (_, tool, args, outcome, text) => {
    expect(await ends(tool, args)).toEqual({ outcome, text: expect.stringContaining(text) });
    expect(await ends("slow", { ms: 0 })).toMatchObject({ outcome: "ok" });
  });
});
