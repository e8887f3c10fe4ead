import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { ERAS, type Era, testGateway } from "../support/test-gateway.ts";

const telling = (era: Era) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/telling.mjs"), era],
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
