// A bare MCP server of 2025-06-18 over streamable HTTP in a process of its own: node remote-process.mjs PORT
// It prints the port it listens on. GET /calls says how many calls came.
import { createServer } from "node:http";
import { text as bodyOf } from "node:stream/consumers";
import { text, tool } from "./rpc.mjs";

let calls = 0;
const methods = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "remote-process", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool("echo"), tool("hang"), tool("die")] }),
  "tools/call": ({ name, arguments: args }, response) => {
    calls++;
    if (name === "hang") return undefined;
    if (name === "die") response.on("finish", () => setTimeout(() => process.exit(7), 20));
    return text(JSON.stringify(args));
  },
};

const server = createServer(async (request, response) => {
  if (request.url === "/calls") return response.end(String(calls));
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(await bodyOf(request));
  if (id === undefined) return response.writeHead(202).end();
  response.setHeader("content-type", "application/json");
  if (!methods[method]) {
    const error = { code: -32601, message: "no such method" };
    return response.writeHead(400).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }
  const result = methods[method](params, response);
  if (result !== undefined) response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(server.address().port));
