// The bare SDK over HTTP: what one tool costs without a gateway. Prints its address once it listens.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const inputSchema = { type: "object", properties: { message: { type: "string" } }, required: ["message"] };

const handler = createMcpHandler(() => {
  const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "echo", inputSchema }] }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: `Echo: ${params.arguments?.message}` }],
  }));
  return server;
});

const http = createServer(toNodeHandler(handler));
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
