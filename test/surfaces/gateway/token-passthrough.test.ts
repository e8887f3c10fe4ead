import type { RequestListener } from "node:http";
import { expect, it } from "vitest";
import { mcpOverHttp, remoteServer } from "../../support/remote-server.ts";
import { ERAS, type Era, testGateway } from "../../support/test-gateway.ts";
import { waitUntil } from "../../support/wait-until.ts";

it.each(Object.keys(ERAS) as Era[])(
  "nothing that identifies a %s client to us reaches the servers it calls",
  async (era) => {
    const heard: string[] = [];
    await using server = await remoteServer(listening(heard));
    await using gateway = await testGateway({
      servers: { remote: { url: server.url } },
      toolboxes: { box: ["mcp:*"] },
      agents: { worker: ["box"] },
      settings: { net: { allow_hosts: ["127.0.0.1"] } },
    });
    await waitUntil("its tool is known", () => gateway.hub.catalog.get("mcp_remote_hello") !== undefined);
    const token = await gateway.token("worker");
    const headers = {
      authorization: `Bearer ${token}`,
      cookie: "toolkeep_session=a-cookie-of-ours",
      "x-api-key": "a-key-for-us",
      "x-forwarded-for": "203.0.113.77",
    };
    const client = await gateway.client("worker", era, { headers });
    const { content } = await client.callTool({ name: "mcp_remote_hello", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "hello" }]);

    const said = heard.join("\n");
    expect(said).toContain("tools/call");
    for (const ours of [token, "a-cookie-of-ours", "a-key-for-us", "203.0.113.77"])
      expect(said).not.toContain(ours);
  },
);

/** Notes everything that comes: address, headers, body. */
function listening(heard: string[]): RequestListener {
  const answer = mcpOverHttp("stateless");
  return (request, response) => {
    heard.push([request.url, ...request.rawHeaders].join("\n"));
    const body: Buffer[] = [];
    request.on("data", (chunk: Buffer) => body.push(chunk));
    request.on("end", () => heard.push(Buffer.concat(body).toString()));
    answer(request, response);
  };
}
