import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { ERAS, type Era, testGateway } from "../../support/test-gateway.ts";
import { waitUntil } from "../../support/wait-until.ts";

const telling = (era: Era) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "../../support/servers/telling.mjs"), era],
});

const gateway = await testGateway({
  servers: { legacy: telling("legacy"), modern: telling("modern") },
  toolboxes: { both: ["mcp:legacy:*", "mcp:modern:*"] },
  agents: { worker: ["both"] },
});
await Promise.all(["legacy", "modern"].map((name) => gateway.hub.upstream.test(name)));
afterAll(() => gateway[Symbol.asyncDispose]());

const PAIRS = (Object.keys(ERAS) as Era[]).flatMap((era) =>
  (Object.keys(ERAS) as Era[]).map((server) => ({ era, server })),
);

const SAID = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "vendor=1",
  baggage: "user=ada",
  "example.com/tenant": { id: 7 },
};
const CAPABILITIES = { elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const ROOTS = { roots: [{ uri: "file:///work" }] };
const ADDRESS = { mode: "url", message: "Sign in", url: "https://example.com/in", elicitationId: "e-1" };

// One of before has connections of its own, over which it may ask for roots, once it is known to ask.
const first = await gateway.client("worker", "legacy", { capabilities: CAPABILITIES });
await first.callTool({ name: "mcp_legacy_ask", arguments: {} });
await waitUntil("it is known to ask", async () =>
  (await openServerTables(gateway.hub.store.database).servers.list()).some(
    (record) => record.name === "legacy" && record.asksBack,
  ),
);

const OF_OUR_OWN = ["protocolVersion", "clientInfo", "clientCapabilities"].map(
  (name) => `io.modelcontextprotocol/${name}`,
);
const toldOf = ({ content }: CallToolResult): object =>
  JSON.parse(content[0]?.type === "text" ? content[0].text : "{}")._meta;

describe.each(PAIRS)("$era client, $server server:", ({ era, server }) => {
  it("the client has a structured result that is a list, as far as its revision knows such", async () => {
    const client = await gateway.client("worker", era);
    const result = await client.callTool({ name: `mcp_${server}_numbers`, arguments: {} });
    expect(result.isError).toBeUndefined();
    expect(result.content).toEqual([{ type: "text", text: "[1,2]" }]);
    expect(result.structuredContent).toEqual(era === "modern" ? [1, 2] : undefined);
  });

  it("the server is called with what its client said beside the arguments, but for what is about their connection", async () => {
    const client = await gateway.client("worker", era);
    const _meta = { ...SAID, "toolkeep/conversation": "c-1", "io.modelcontextprotocol/else": 1 };
    const calls = [
      { name: `mcp_${server}_tell`, arguments: {}, _meta },
      { name: "call_tool", arguments: { name: `mcp_${server}_tell`, arguments: {} }, _meta },
    ];
    for (const call of calls) {
      const told = toldOf(await client.callTool(call));
      expect(told).toMatchObject(SAID);
      expect(Object.keys(told).filter((key) => !(key in SAID) && key !== "progressToken")).toEqual(
        server === "modern" ? OF_OUR_OWN : [],
      );
    }
  });

  it("the client hears what the server logs while it works, from the level on that it asked for", async () => {
    const client = await gateway.client("worker", era);
    const heard: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => {
      heard.push([params.level, params.data]);
    });
    if (era === "legacy") await client.setLoggingLevel("error");
    const _meta = era === "modern" ? { "io.modelcontextprotocol/logLevel": "error" } : {};
    await client.callTool({ name: `mcp_${server}_log`, arguments: {}, _meta });
    await waitUntil("it is heard", () => heard.length > 0);
    expect(heard).toEqual([["error", "much"]]);
  });

  it("the client answers what the server asks at an address, and for roots", async () => {
    const client = await gateway.client("worker", era, { capabilities: CAPABILITIES });
    const asked: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return { action: "accept" };
    });
    client.setRequestHandler("roots/list", () => ROOTS);
    const ask = async (question: object) => {
      const call = { name: `mcp_${server}_ask`, arguments: { question } };
      return JSON.stringify((await client.callTool(call)).content);
    };
    expect(await ask({ method: "elicitation/create", params: ADDRESS })).toContain("accept");
    expect(asked).toEqual([expect.objectContaining({ mode: "url", url: ADDRESS.url })]);
    expect(await ask({ method: "roots/list", params: {} })).toContain("file:///work");
  });
});

it("a server is told that the roots of the conversation which gave it some are others", async () => {
  const client = await gateway.client("worker", "legacy", { capabilities: CAPABILITIES });
  client.setRequestHandler("roots/list", () => ROOTS);
  const heard = async () => {
    const call = { name: "mcp_legacy_heard", arguments: {} };
    const { content } = await client.callTool(call);
    return JSON.parse(content[0]?.type === "text" ? content[0].text : "{}");
  };
  expect(await heard()).toMatchObject({
    introduced: { roots: { listChanged: true }, extensions: { "io.modelcontextprotocol/ui": {} } },
  });
  await client.sendRootsListChanged();
  await waitUntil("it is told", async () =>
    (await heard()).notifications.includes("notifications/roots/list_changed"),
  );
});

it.each(["legacy", "modern"])(
  "a call at /rpc brings what its client said to a server of the %s era",
  async (server) => {
    const params = { name: `mcp_${server}_tell`, arguments: {}, _meta: SAID };
    const answer = await fetch(gateway.url.replace("/mcp", "/rpc"), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${await gateway.token("worker")}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const { result } = (await answer.json()) as { result: { _meta: object } };
    expect(result._meta).toMatchObject(SAID);
  },
);
