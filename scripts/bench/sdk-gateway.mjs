// A plain gateway as the SDK's documentation leads one to write it: sessions over streamable HTTP in front, one stdio server behind,
// its tools handed through. No grants, no policy, no audit.
//
// node sdk-gateway.mjs COMMAND ARGS…; prints its address.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { Server } from "@modelcontextprotocol/server";

const INFO = { name: "plain-gateway", version: "1.0.0" };

const [command, ...args] = process.argv.slice(2);
const upstream = new Client(INFO);
await upstream.connect(new StdioClientTransport({ command, args, stderr: "inherit" }));

const transports = new Map();

const http = createServer((req, res) => {
  serve(req, res).catch((error) => {
    console.error(error);
    res.destroy();
  });
});
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));

process.on("SIGTERM", () => {
  void upstream.close().finally(() => process.exit(0));
});

async function serve(req, res) {
  const known = transports.get(req.headers["mcp-session-id"]);
  await (known ?? (await begin())).handleRequest(req, res);
}

async function begin() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", ({ params }) => upstream.listTools(params));
  server.setRequestHandler("tools/call", ({ params }) => upstream.callTool(params));
  await server.connect(transport);
  return transport;
}
