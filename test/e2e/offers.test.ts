import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/contract/caller.ts";
import type { OfferKind } from "../../src/contract/offer.ts";
import type { OfferCallKind, ToolCall } from "../../src/contract/tool.ts";
import { callTables } from "../support/call-tables.ts";
import { EVERYTHING, type TestHub, type TestHubSetup, testHub } from "../support/test-hub.ts";
import { waitUntil } from "../support/wait-until.ts";

const SECRET = "canary-secret-4711";

describe.each(["legacy", "modern"])("what a %s server offers", (era) => {
  test("takes the path of every call: granted, decided, audited", async () => {
    await using hub = await open({ docs: lists(era, "offers everything") });
    const reader = hub.caller("reader");
    expect(hub.names(reader, "resource")).toEqual(["file:///a.txt", "file:///b.txt"]);
    expect(hub.names(reader, "prompt")).toEqual(["docs_review"]);

    await hub.hub.catalog.toolboxes.create("more", { tools: ["mcp:docs:prompt:*", "mcp:docs:nothing:*"] });
    expect(hub.hub.catalog.toolboxes.get("more").unmatched).toEqual(["mcp:docs:nothing:*"]);

    expect(await hub.ask("resource", "file:///a.txt", reader)).toMatchObject({
      outcome: "ok",
      tool: "resource:file:///a.txt",
      structured: { contents: [{ uri: "file:///a.txt", text: "content of file:///a.txt" }] },
    });
    expect(await hub.ask("prompt", "docs_review", reader, { path: "x" })).toMatchObject({
      outcome: "ok",
      structured: { messages: [{ content: { text: "Review x" } }] },
    });
    const completion = {
      ref: { type: "ref/prompt", name: "docs_review" },
      argument: { name: "path", value: "a" },
    };
    expect(await hub.ask("completion", "docs_review", reader, completion)).toMatchObject({
      outcome: "ok",
      structured: { completion: { values: ["a!"] } },
    });
    expect(await hub.ask("resource", "file:///a.txt", hub.caller("nobody"))).toMatchObject({
      outcome: "not_granted",
      error: { details: { code: "resource_not_found", uri: "file:///a.txt" } },
    });

    await waitUntil("all four are in the audit", async () => (await hub.audited()).length === 4);
    expect(await hub.audited()).toEqual([
      ["completion:prompt:docs_review", "allow", "ok"],
      ["prompt:docs_review", "allow", "ok"],
      ["resource:file:///a.txt", "allow", "ok"],
      [null, null, "not_granted"],
    ]);
  });

  test("is denied and asked about by rules, which also hide it", async () => {
    await using hub = await open(
      { docs: lists(era, "offers everything") },
      {
        rules: [
          { permission: "mcp:docs:resource:*b.txt", action: "deny" },
          { permission: "prompt:*", action: "ask" },
        ],
      },
    );
    const reader = hub.caller("reader");
    expect(hub.names(reader, "resource")).toEqual(["file:///a.txt"]);
    expect(await hub.ask("resource", "file:///b.txt", reader)).toMatchObject({ outcome: "denied" });
    const waiting = await hub.ask("prompt", "docs_review", reader, { path: "x" });
    expect(waiting.outcome).toBe("needs_approval");
    const [question] = await hub.hub.questions.list({ state: "pending" });
    await hub.hub.questions.answer(question!.id, "once");
    expect(await hub.ask("prompt", "docs_review", reader, { path: "x" })).toMatchObject({ outcome: "ok" });
  });

  test("is passed on without a secret, refusals included", async () => {
    await using hub = await open({ docs: lists(era, "tells a secret", SECRET) });
    await hub.hub.vault.put("CANARY", SECRET);
    const reader = hub.caller("reader");
    const read = await hub.ask("resource", "file:///fine", reader);
    const refused = await hub.ask("prompt", "docs_told", reader);
    expect([read.outcome, refused.outcome]).toEqual(["ok", "failed"]);
    expect(refused.fault?.code).toBe(-32000);
    expect(JSON.stringify([read, refused])).not.toContain(SECRET);
  });

  test("wants arguments that are texts", async () => {
    await using hub = await open({ docs: lists(era, "offers everything") });
    const refused = await hub.ask("prompt", "docs_review", hub.caller("reader"), { path: { deep: 1 } });
    expect(refused).toMatchObject({ outcome: "invalid_arguments" });
    const reading = { ref: { type: "ref/prompt", name: "docs_review" } };
    expect(await hub.ask("completion", "docs_review", hub.caller("reader"), reading)).toMatchObject({
      outcome: "invalid_arguments",
    });
  });

  test("is told about when it changes", async () => {
    await using hub = await open({ docs: lists(era, "tells of resources") });
    const told: unknown[] = [];
    const end = new AbortController();
    const reader = hub.caller("reader");
    const uri = "file:///a.txt";
    expect(
      await hub.hub.offers.subscribe(
        () => reader,
        uri,
        (update) => told.push(update),
        end.signal,
      ),
    ).toEqual({
      ok: true,
      value: undefined,
    });
    await hub.call("mcp_docs_touch", { uri });
    await waitUntil("the change is told", () => told.length === 1);
    expect(told).toEqual([{ uri }]);
    end.abort();
  });
});

test("every kind of offer of the reference server is listed and used", async () => {
  await using hub = await open({ all: EVERYTHING });
  const reader = hub.caller("reader");
  for (const kind of ["resource", "resource_template", "prompt"] as const) {
    expect(hub.names(reader, kind).length).toBeGreaterThan(0);
  }
  const [uri] = hub.names(reader, "resource");
  expect(await hub.ask("resource", String(uri), reader)).toMatchObject({ outcome: "ok" });
  expect(await hub.ask("prompt", "all_simple_prompt", reader)).toMatchObject({ outcome: "ok" });
  expect(await hub.ask("resource", "demo://resource/dynamic/text/3", reader)).toMatchObject({
    outcome: "ok",
    structured: { contents: [{ uri: "demo://resource/dynamic/text/3" }] },
  });
  expect(hub.hub.offers.abilitiesFor(reader)).toEqual({
    resources: true,
    subscribe: true,
    prompts: true,
    completions: true,
    logging: true,
    tasks: false,
  });
});

async function open(servers: NonNullable<TestHubSetup["servers"]>, setup: TestHubSetup = {}) {
  const opened = await testHub({
    servers,
    toolboxes: { reading: ["mcp:*"] },
    agents: { reader: ["reading"], nobody: [] },
    ...setup,
  });
  const { hub } = opened;
  await waitUntil("offers are known", () => hub.upstream.origins().every(({ offers }) => offers.length > 0));
  await hub.upstream.settled();
  const audited = async () => {
    const calls = await callTables(hub.store).calls.list({ limit: 50 });
    return calls
      .map(({ tool, decision, outcome }) => [tool, decision, outcome] as const)
      .sort((a, b) => (String(a[0] ?? "~") < String(b[0] ?? "~") ? -1 : 1));
  };
  return Object.assign(opened satisfies TestHub, {
    audited,
    names: (caller: Caller, kind: OfferKind) =>
      hub.offers.visible(caller, kind).map(({ uri, uriTemplate, name }) => uri ?? uriTemplate ?? name),
    ask: (
      kind: OfferCallKind,
      name: string,
      caller: Caller,
      args: unknown = {},
      more: Partial<ToolCall> = {},
    ) => hub.callTool({ kind, name, arguments: args, caller, via: "library", ...more }),
  });
}

/** A server of `servers/lists.mjs`. */
function lists(era: string, behaviour: string, argument = "") {
  const script = join(import.meta.dirname, "../support/servers/lists.mjs");
  return { command: process.execPath, args: [script, era, behaviour, argument] };
}
