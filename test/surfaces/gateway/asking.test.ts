import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { type Era, type TestGateway, testGateway } from "../../support/test-gateway.ts";

const server = (file: string) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, `../../support/servers/${file}`)],
  trusted: true,
});
const SERVERS = { older: server("asking.mjs"), newer: server("asking-modern.mjs") };
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} };

const gateway = await testGateway({
  servers: SERVERS,
  toolboxes: { all_of_it: ["mcp:*"] },
  agents: { asker: ["all_of_it"] },
});
for (const name of Object.keys(SERVERS)) await gateway.hub.upstream.test(name);
afterAll(() => gateway[Symbol.asyncDispose]());

/** A client that answers, and notes what it was asked. */
async function answering(era: Era, on: TestGateway = gateway): Promise<{ client: Client; heard: string[] }> {
  const heard: string[] = [];
  const client = await on.client("asker", era, { capabilities: CAPABILITIES });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    heard.push(params.message);
    return { action: "accept", content: { answer: `about ${params.message}` } };
  });
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    heard.push(JSON.stringify(params.messages));
    return { role: "assistant", model: "none", content: { type: "text", text: "sampled" } };
  });
  return { client, heard };
}

describe.each(["legacy", "modern"] as const)("a client of the %s era", (era) => {
  describe.each(["older", "newer"] as const)("of an %s server that asks", (name) => {
    it.each([
      ["elicitation", "about the weather"],
      ["sampling", "sampled"],
    ])("answers an inquiry (%s), and its answer reaches the server", async (kind, expected) => {
      const { client, heard } = await answering(era);
      const about = `the weather ${kind}`;
      // A server that was never seen to ask may not be told apart yet from one that asks somebody else.
      const call = { name: `mcp_${name}_ask`, arguments: { kind, about } };
      const result = await client.callTool(call);
      expect(JSON.stringify(result.content)).toContain(expected);
      expect(heard.join()).toContain("the weather");
      expect(result.isError).toBeFalsy();
    });

    it("that declares nothing is never asked, and the call says so", async () => {
      const client = await gateway.client("asker", era);
      const call = { name: `mcp_${name}_ask`, arguments: { kind: "elicitation", about: "x" } };
      const answer = await client.callTool(call).then(JSON.stringify, String);
      expect(answer).toMatch(/cannot be asked|capabilit|uncertain which one/i);
    });
  });

  it("answers as often as a call asks", async () => {
    const { client, heard } = await answering(era);
    const call = { name: "mcp_newer_ask", arguments: { about: "again", rounds: 3 } };
    expect(JSON.stringify((await client.callTool(call)).content)).toContain("about again");
    expect(heard).toEqual(["again", "again", "again"]);
  });

  it("answers several calls at once, each its own", async () => {
    const { client } = await answering(era);
    const abouts = ["one", "two", "three"];
    const results = await Promise.all(
      abouts.map((about) => client.callTool({ name: "mcp_newer_ask", arguments: { about } })),
    );
    expect(results.map((result) => JSON.stringify(result.content).includes("about"))).toEqual([
      true,
      true,
      true,
    ]);
    results.forEach((result, index) => {
      expect(JSON.stringify(result.content)).toContain(`about ${abouts[index]}`);
    });
  });
});
