import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { OfferOrigin } from "../../src/contract/offer.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { inDeep, sampleOf } from "../support/length.ts";
import type { Era } from "../support/list-client.ts";
import { remoteServer } from "../support/remote-server.ts";
import { testCaller } from "../support/tools.ts";
import { type TestUpstream, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

describe.each<Era>(sampleOf(["legacy", "modern"], 1))("a %s server", (era) => {
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
    const docs = origin(up);
    expect(await docs.readResource("file:///a.txt", context())).toMatchObject({
      kind: "output",
      structured: { contents: [{ text: "content of file:///a.txt" }] },
    });
    expect(await docs.getPrompt("review", { path: "x" }, context())).toMatchObject({
      structured: { messages: [{ content: { text: "Review x" } }] },
    });
    expect(await docs.complete(REVIEW, context())).toMatchObject({
      structured: { completion: { values: ["a!"] } },
    });
  });

  test("that refuses is passed on with its own code", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "refuses to be used", "out of ink"));
    await waitUntil("its offers are known", () => keys(up).length === 4);
    const docs = origin(up);
    expect(await docs.readResource("file:///x", context())).toMatchObject({
      kind: "failed",
      fault: { code: -32002, message: "Resource not found", data: { uri: "file:///x" } },
    });
    expect(await docs.getPrompt("review", {}, context())).toMatchObject({ fault: { code: -32000 } });
    expect(await docs.complete(REVIEW, context())).toMatchObject({
      structured: { completion: { values: [] } },
    });
  });

  test("that answers in another shape costs only that answer", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "answers in another shape"));
    await waitUntil("its offers are known", () => keys(up).length === 4);
    const docs = origin(up);
    expect(await docs.readResource("file:///x", context())).toMatchObject({ kind: "failed" });
    expect(await docs.complete(REVIEW, context())).toMatchObject({ kind: "failed" });
    expect(await docs.getPrompt("review", { path: "x" }, context())).toMatchObject({ kind: "output" });
  });

  test("hears of it when a read is given up, and its progress is passed on", async () => {
    await using up = await testUpstream();
    const file = join(up.settings.home, "cancelled");
    await up.upstream.add("docs", lists(era, "never answers", file));
    await waitUntil("its offers are known", () => keys(up).length === 4);
    const stop = new AbortController();
    const heard: unknown[] = [];
    const reading = origin(up).readResource("file:///a.txt", {
      ...context(),
      signal: stop.signal,
      progress: (update) => heard.push(update),
    });
    await waitUntil("progress came", () => heard.length === 1);
    stop.abort();
    expect(await reading).toMatchObject({ kind: "failed" });
    await waitUntil("the server was told", () => existsSync(file));
    expect(heard).toEqual([{ progress: 1, message: "reading" }]);
  });

  test("declares what it can do, which is known also while nothing runs", async () => {
    await using up = await testUpstream();
    await up.upstream.add("docs", lists(era, "tells of resources"));
    await waitUntil("its offers are known", () => keys(up).length === 4);
    await up.restart();
    expect(origin(up).abilities).toEqual({
      resources: true,
      subscribe: true,
      prompts: true,
      completions: true,
      logging: false,
      tasks: false,
    });
    expect(await up.children()).toEqual([]);
  });
});

test("offers of a modern server without tools are used over HTTP", async () => {
  await using remote = await remoteServer(offersOverHttp());
  await using up = await testUpstream();
  await up.upstream.add("docs", { url: remote.url });
  await waitUntil("its offers are known", () => keys(up).length === 3);
  const docs = origin(up);
  expect(await docs.readResource("note:///a", context())).toMatchObject({
    structured: { contents: [{ uri: "note:///a", text: "a note" }] },
  });
  expect(await docs.readResource("file:///x", context())).toMatchObject({
    structured: { contents: [{ text: "file x" }] },
  });
  expect(await docs.readResource("nothing://", context())).toMatchObject({
    kind: "failed",
    fault: { code: -32602, data: { uri: "nothing://" } },
  });
  expect(await docs.getPrompt("review", { path: "x" }, context())).toMatchObject({
    structured: { messages: [{ content: { text: "Review x" } }] },
  });
  expect(await docs.complete(REVIEW, context())).toMatchObject({
    structured: { completion: { values: [] } },
  });
  expect(up.warnings).toEqual([]);
});

test("a caller that is asked by the answer answers by asking again", async () => {
  await using up = await testUpstream();
  await up.upstream.add("docs", lists("modern", "asks first"));
  await waitUntil("its offers are known", () => keys(up).length === 4);
  const docs = origin(up);
  const capabilities = { elicitation: { form: {} } };
  const asks = {
    kind: "asks",
    asked: { inquiries: { user: { method: "elicitation/create" } }, state: "kept" },
  };
  const answered = {
    ...context(),
    rounds: {
      capabilities,
      state: "kept",
      answers: { user: { action: "accept", content: { name: "Ada" } } },
    },
  };
  const first = { ...context(), rounds: { capabilities } };
  expect(await docs.readResource("file:///a.txt", first)).toMatchObject(asks);
  expect(await docs.readResource("file:///a.txt", answered)).toMatchObject({
    structured: { contents: [{ text: "for Ada (kept)" }] },
  });
  expect(await docs.getPrompt("review", {}, first)).toMatchObject(asks);
  expect(await docs.getPrompt("review", {}, answered)).toMatchObject({
    structured: { messages: [{ content: { text: "Ada (kept)" } }] },
  });
});

test("prompts of servers have names of their own", async () => {
  await using up = await testUpstream();
  await up.upstream.add("docs", lists("legacy", "offers everything"));
  await up.upstream.add("My Docs", lists("legacy", "offers everything"));
  await waitUntil("both are known", () => up.upstream.origins().every(({ offers }) => offers.length === 4));
  const names = up.upstream.origins().map(({ offers }) => offers.find(({ kind }) => kind === "prompt")?.name);
  expect(names.toSorted()).toEqual(["docs_review", "my_docs_review"]);
});

test("what changed is told, and what did not stays the same", async () => {
  await using up = await testUpstream();
  await up.upstream.add("docs", lists("legacy", "grows its lists"));
  await waitUntil("its first lists are known", () => keys(up).length === 3);
  let told = 0;
  up.upstream.onOffersChange(() => told++);
  const before = up.upstream.origins()[0]?.offers.map(({ definition }) => definition);
  await up.call("mcp_docs_tool_0");
  await waitUntil("its new offers are known", () => keys(up).includes("prompt prompt_1"));
  expect(told).toBeGreaterThan(0);
  const after = up.upstream.origins()[0]?.offers.map(({ definition }) => definition);
  for (const definition of before ?? []) expect(after).toContain(definition);
  await up.upstream.reload();
  expect(up.upstream.origins()[0]?.offers.map(({ definition }) => definition)).toEqual(after);
  expect(up.upstream.origins()[0]?.offers[0]?.definition).toBe(after?.[0]);
});

inDeep("a list whose time is over is fetched again", async () => {
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

/** On the SDK. */
function offersOverHttp(): RequestListener {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "remote", version: "1.0.0" });
      server.registerResource("note", "note:///a", {}, () => ({
        contents: [{ uri: "note:///a", text: "a note" }],
      }));
      const template = new ResourceTemplate("file:///{name}", { list: undefined });
      server.registerResource("file", template, {}, (uri, { name }) => ({
        contents: [{ uri: uri.href, text: `file ${name}` }],
      }));
      server.registerPrompt("review", { argsSchema: z.object({ path: z.string() }) }, ({ path }) => ({
        messages: [{ role: "user", content: { type: "text", text: `Review ${path}` } }],
      }));
      return server;
    },
    { legacy: "reject" },
  );
  return toNodeHandler(handler) as RequestListener;
}

const REVIEW = {
  ref: { type: "ref/prompt", name: "review" },
  argument: { name: "path", value: "a" },
} as const;

function origin(up: TestUpstream): OfferOrigin {
  return up.upstream.origins().find(({ name }) => name === "docs")!;
}

function context(): ToolContext {
  return {
    callId: "call_test",
    caller: testCaller(),
    signal: new AbortController().signal,
    progress: () => {},
  };
}

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
