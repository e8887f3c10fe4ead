import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answering, Inquiry, Notice } from "../../src/contract/tool.ts";
import { said, type TestUpstream, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

async function telling(era: "legacy" | "modern"): Promise<TestUpstream> {
  const up = await testUpstream();
  const script = join(import.meta.dirname, "../support/servers/telling.mjs");
  await up.upstream.add("t", { command: process.execPath, args: [script, era] });
  await up.upstream.settled();
  expect(up.upstream.server("t").era?.era).toBe(era);
  return up;
}

const elicitation = { elicitation: {} };
const question = { method: "elicitation/create", params: expect.objectContaining({ message: "Who?" }) };

function answering(capabilities: Record<string, unknown>, result: Record<string, unknown>) {
  const asked: Inquiry[] = [];
  const answering: Answering = {
    capabilities,
    async answer(inquiry) {
      asked.push(inquiry);
      return result;
    },
  };
  return { answering, asked };
}

describe("a server of 2026-07-28 and a caller that answers by calling again", () => {
  test("what the server asks is the end of the round, and the next brings answers and state back", async () => {
    await using up = await telling("modern");
    const args = { state: "opaque" };
    const first = await up.call("mcp_t_ask", args, { rounds: { capabilities: elicitation } });
    expect(first).toEqual({ kind: "asks", asked: { inquiries: { who: question }, state: "opaque" } });

    const answers = { who: { action: "accept", content: { name: "Ada" } }, more: 1 };
    const rounds = { capabilities: elicitation, answers, state: "opaque" };
    expect(JSON.parse(said(await up.call("mcp_t_ask", args, { rounds })))).toEqual([answers, "opaque"]);
  });

  test("the server is told what this caller can be asked and wants to hear, and nothing of others", async () => {
    await using up = await telling("modern");
    const { answering: other } = answering({ sampling: {}, roots: {} }, {});
    const capabilities = { elicitation: { url: {} }, extensions: { "io.modelcontextprotocol/ui": {} } };
    const sent = async (options: object) =>
      JSON.parse(said(await up.call("mcp_t_tell", { x: 1 }, options)))._meta as Record<string, unknown>;
    const key = "io.modelcontextprotocol/clientCapabilities";
    expect((await sent({ rounds: { capabilities }, answering: other }))[key]).toEqual(capabilities);
    expect((await sent({ answering: other }))[key]).toEqual({ sampling: {}, roots: {} });
    expect((await sent({}))[key]).toEqual({});
    expect(await sent({ logLevel: "info", onNotice: () => {} })).toMatchObject({
      "io.modelcontextprotocol/logLevel": "info",
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "toolkeep" },
    });
  });

  test.each([
    ["what the caller cannot be asked", { who: { method: "sampling/createMessage", params: {} } }],
    ["in a way that is not known", { who: { method: "tools/list", params: {} } }],
    ["without saying what", {}],
    ["a thing that is no question", { who: "you" }],
    [
      "more than anybody wants to know",
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`q${n}`, question])),
    ],
  ])("a server that asks %s has failed", async (_, inputs) => {
    await using up = await telling("modern");
    const result = await up.call("mcp_t_ask", { inputs }, { rounds: { capabilities: elicitation } });
    expect(result).toMatchObject({ kind: "failed", message: expect.stringContaining("asked back") });
  });

  test("a caller that answers at once is asked during the call", async () => {
    await using up = await telling("modern");
    const caller = answering(elicitation, { action: "decline" });
    const result = await up.call("mcp_t_ask", {}, { answering: caller.answering });
    expect(JSON.parse(said(result))).toEqual([{ who: { action: "decline" } }, null]);
    expect(caller.asked).toEqual([question]);
  });
});

describe("a server before 2026-07-28", () => {
  test("hears which capability is missing when it asks what its caller cannot be asked", async () => {
    await using up = await telling("legacy");
    const { error } = JSON.parse(said(await up.call("mcp_t_ask", {})));
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } });
  });

  test("asks for roots over a connection of the one conversation that has them, and over no other", async () => {
    await using up = await telling("legacy");
    const roots = { roots: [{ uri: "file:///home/ada", name: "home" }] };
    const caller = answering({ ...elicitation, roots: {} }, roots);
    const refused = JSON.parse(said(await up.call("mcp_t_roots", {}, { answering: caller.answering })));
    expect(refused.error).toMatchObject({ code: -32601 });
    // It has to ask something once before it gets connections of its own.
    await up.call("mcp_t_ask", {}, answering(elicitation, { action: "decline" }));
    const asks = async () => (await up.store.servers.list()).some(({ asksBack }) => asksBack);
    await waitUntil("it is known to ask", asks);

    const given = JSON.parse(said(await up.call("mcp_t_roots", {}, { answering: caller.answering })));
    expect(given.result).toEqual(roots);
    expect(caller.asked.at(-1)).toMatchObject({ method: "roots/list" });
  });
});

describe.each(["legacy", "modern"] as const)("a %s server", (era) => {
  test("that sends its caller to an address is passed on as the error it is; a legacy one tells when it is done", async () => {
    await using up = await telling(era);
    const heard: Notice[] = [];
    const other: Notice[] = [];
    await up.call(
      "mcp_t_tell",
      {},
      { caller: { conversation: "other" }, onNotice: (notice) => other.push(notice) },
    );
    const onNotice = (notice: Notice) => heard.push(notice);
    const result = await up.call("mcp_t_refuse", { elicitationId: "e-1" }, { onNotice });
    expect(result).toMatchObject({
      kind: "failed",
      fault: { code: -32042, message: "go there first", data: { elicitations: [{ elicitationId: "e-1" }] } },
    });
    // 2026-07-28 has no such notification.
    if (era === "modern") return;
    await waitUntil("it is told", () => heard.length > 0);
    expect(heard).toEqual([
      { method: "notifications/elicitation/complete", params: { elicitationId: "e-1" } },
    ]);
    expect(other).toEqual([]);
  });

  test("that refuses for another reason fails in words that a model can read", async () => {
    await using up = await telling(era);
    const result = await up.call("mcp_t_unwilling");
    expect(result).toEqual({ kind: "failed", message: expect.stringContaining("a path is needed") });
  });

  test("logs to the conversation that wants to hear it, as much as it wants, and to nobody else", async () => {
    await using up = await telling(era);
    const heard: Record<string, unknown[]> = { ada: [], ben: [], cal: [] };
    const log = (conversation: string, logLevel?: string) =>
      up.call(
        "mcp_t_log",
        {},
        {
          caller: { conversation },
          onNotice: ({ params }) => heard[conversation]?.push(params.data),
          ...(logLevel ? { logLevel } : {}),
        },
      );
    await log("cal");
    const [ada, ben] = await Promise.all([log("ada", "debug"), log("ben", "error"), log("cal")]);
    await waitUntil("both heard", () => heard.ada?.length === 2 && heard.ben?.length === 1);
    expect(heard).toEqual({ ada: ["little", "much"], ben: ["much"], cal: [] });
    if (era === "legacy") expect([said(ada), said(ben)]).toEqual(['"debug"', '"error"']);
  });

  test("has its content, unknown kinds and all, passed on as it came", async () => {
    await using up = await telling(era);
    expect(await up.call("mcp_t_rich")).toEqual({
      kind: "output",
      content: [
        { type: "text", text: "hi", annotations: { audience: ["user"] }, _meta: { "x/y": 1 } },
        { type: "resource_link", uri: "ui://app", name: "app", title: "App", icons: [{ src: "data:," }] },
        { type: "hologram", beam: [1, 2, 3] },
      ],
      structured: { n: 1 },
      meta: { "vendor/trace": { id: "abc" } },
    });
  });
});
