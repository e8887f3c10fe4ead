import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

export interface RemoteServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

/** Listens on a free port of the loopback until its scope ends. */
export async function remoteServer(listener: RequestListener): Promise<RemoteServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An MCP server with the tool `hello`, over streamable HTTP, on the SDK. */
export function mcpOverHttp(legacy: "stateless" | "reject"): RequestListener {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "remote", version: "1.0.0" });
      server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
      return server;
    },
    { legacy },
  );
  return toNodeHandler(handler) as RequestListener;
}

/** The transport of 2024-11-05: an event stream for answers, a POST for every message. No SDK in between. */
export function mcpOverSse(): RequestListener {
  let stream: ServerResponse | undefined;
  const answers: Record<string, unknown> = {
    initialize: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "sse", version: "1.0.0" },
    },
    "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "hello" }] },
  };
  return async (request, response) => {
    if (request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    const { id, method } = JSON.parse(await text(request));
    response.writeHead(202).end();
    if (id === undefined) return;
    stream?.write(
      `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] })}\n\n`,
    );
  };
}
