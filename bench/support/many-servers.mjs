import { createServer } from "node:http";

const TOOLS_EACH = 20;
const MAX_BODY = 1_000_000;

/** One process that is as many MCP servers as wanted, each at an address of its own: `url(n)`. */
export async function manyServers() {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) if (body.length < MAX_BODY) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const number = Number(request.url.split("/")[1]);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer(number, method, params) }));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  return {
    url: (number) => `http://127.0.0.1:${port}/${number}/mcp`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

function answer(number, method, params) {
  if (method === "initialize")
    return {
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: `server-${number}`, version: "1.0.0" },
      },
    };
  if (method === "tools/list") return { result: { tools: toolsOf(number) } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: "done" }] } };
  return { error: { code: -32601, message: "no such method" } };
}

const VERBS = ["list", "get", "create", "update", "delete"];
const NOUNS = ["issue", "invoice", "message", "customer"];

function toolsOf(number) {
  return Array.from({ length: TOOLS_EACH }, (_, index) => {
    const [verb, noun] = [VERBS[index % VERBS.length], NOUNS[index % NOUNS.length]];
    return {
      name: `${verb}_${noun}_${index}`,
      description: `Will ${verb} one ${noun} of system ${number}, with everything that belongs to it.`,
      inputSchema: {
        type: "object",
        properties: { id: { type: "string", description: `Which ${noun}.` }, limit: { type: "integer" } },
        required: ["id"],
      },
    };
  });
}
