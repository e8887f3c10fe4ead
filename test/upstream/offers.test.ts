import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Era } from "../support/list-client.ts";
import { type TestUpstream, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

describe.each<Era>(["legacy", "modern"])("a %s server", (era) => {
  test("has what it offers and its instructions kept beside its tools, also while nothing runs", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "offers everything"));
    await waitUntil("its offers are known", () => keys(up).length === 4);
    const known = up.upstream.offers("docs");
    await up.restart();
    expect(up.upstream.offers("docs")).toEqual(known);
    expect(keys(up)).toEqual([
      "prompt review",
      "resource file:///a.txt",
      "resource file:///b.txt",
      "resource_template file:///{path}",
    ]);
    expect((await up.store.servers.byName("docs"))?.instructions).toBe("Ask first.");
    expect(await up.children()).toEqual([]);
  });

  test("that fails to list its prompts has its tools and the rest, and people are told", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "fails to list prompts", "out of ink"));
    await waitUntil("its resources are known", () => keys(up).length === 3);
    expect(up.upstream.tools().map(({ name }) => name)).toEqual(["mcp_docs_echo"]);
    expect(up.warnings.join("\n")).toContain("its prompts could not be listed: no: out of ink");
  });

  test("that hangs on listing its prompts has its tools at once", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "hangs on listing prompts"));
    await waitUntil("its tool is known", () => up.upstream.tools().length === 1, 10_000);
    expect(await up.call("mcp_docs_echo")).toMatchObject({ kind: "output" });
  });

  test("that announces changed lists has them fetched again", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "grows its lists"));
    await waitUntil("its first lists are known", () => keys(up).length === 3);
    await waitUntil("its changes are heard", async () => {
      await up.call("mcp_docs_tool_0");
      return up.upstream.tools().length > 1;
    });
    await waitUntil("its new offers are known", () => keys(up).includes("prompt prompt_1"));
    expect(keys(up)).toContain("resource file:///file_1");
  });

  test("is started for reading a resource, filling in a prompt and completing a value", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "offers everything"));
    await up.upstream.settled();
    await up.restart();
    expect(await up.upstream.readResource("docs", "file:///a.txt")).toMatchObject({
      ok: true,
      value: { contents: [{ text: "content of file:///a.txt" }] },
    });
    expect(await up.upstream.getPrompt("docs", "review", { path: "x" })).toMatchObject({ ok: true });
    const ref = { type: "ref/prompt", name: "review" } as const;
    const completed = await up.upstream.complete("docs", { ref, argument: { name: "path", value: "a" } });
    expect(completed).toMatchObject({ ok: true, value: { values: ["a!"] } });
  });
});

test("a list whose time is over is fetched again", async () => {
  await using up = await testUpstream();
  await up.upstream.add("docs", lists("modern", "lists more each time", "1"));
  await waitUntil("its first list is known", () => up.upstream.tools().length === 1);
  await waitUntil("it was listed again", () => up.upstream.tools().length > 1, 20_000);
});

test("what a removed server offered is gone, from the store too", async () => {
  await using up = await testUpstream();
  await up.upstream.add("docs", lists("legacy", "offers everything"));
  await waitUntil("its offers are known", () => keys(up).length === 4);
  await up.upstream.settled();
  await up.upstream.remove("docs");
  expect(await up.store.servers.offers()).toEqual([]);
});

function keys(up: TestUpstream): string[] {
  return up.upstream
    .offers("docs")
    .map(({ kind, definition }) => `${kind} ${definition.uri ?? definition.uriTemplate ?? definition.name}`);
}

/** A server of `servers/lists.mjs`. */
function lists(era: string, behaviour: string, argument = "") {
  const script = join(import.meta.dirname, "../support/servers/lists.mjs");
  return { command: process.execPath, args: [script, era, behaviour, argument] };
}
