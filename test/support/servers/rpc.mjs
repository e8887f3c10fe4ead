import { createInterface } from "node:readline";

/** A bare legacy MCP server over stdio: what it does with each method is the caller's; no SDK in between. */
export function serve(tools, handlers = {}) {
  const methods = {
    initialize: ({ params }) => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "fixture", version: "1.0.0" },
      instructions: "Be gentle.",
    }),
    "tools/list": () => ({ tools: typeof tools === "function" ? tools() : tools }),
    "tools/call": ({ params }) => text(JSON.stringify(params.arguments)),
    ...handlers,
  };
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const request = JSON.parse(line);
    if (request.method === undefined) return void methods.response?.(request);
    if (request.id === undefined) return void methods[request.method]?.(request);
    const method = methods[request.method] ?? methods.unknown;
    if (!method) return send({ id: request.id, error: { code: -32601, message: "no such method" } });
    const result = await method(request);
    if (result !== undefined) send({ id: request.id, result });
  });
}

export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

export function tool(name, more = {}) {
  return { name, description: `The tool ${name}.`, inputSchema: { type: "object" }, ...more };
}

export function text(value) {
  return { content: [{ type: "text", text: value }] };
}
