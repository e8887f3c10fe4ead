// The server behind every way of the gateway benchmark: three tools, and next to no cost of its own. Speaks stdio; with `http` as its
// argument the same over streamable HTTP, and then prints its address.
import { createServer } from "node:http";

const LARGE_CHARS = 100 * 1024;
const LINE = '{"path": "src/call/executor/call-tool.ts", "text": "a line as it comes in real results"}\n';
const LARGE = LINE.repeat(Math.ceil(LARGE_CHARS / LINE.length)).slice(0, LARGE_CHARS);

const TOOLS = [
  {
    name: "echo",
    description: "Gives back what it is given.",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  },
  {
    name: "typed",
    description: "Gives back what it is given, and takes what one tool in six asks for.",
    inputSchema: {
      type: "object",
      properties: {
        repo: { type: "string", pattern: "^[a-z0-9-]+/[a-z0-9-]+$" },
        since: { type: "string", format: "date-time" },
        labels: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/label" } }] },
        limit: { anyOf: [{ type: "integer", minimum: 1, maximum: 100 }, { type: "null" }] },
      },
      required: ["repo"],
      $defs: { label: { type: "string", minLength: 1, maxLength: 50 } },
    },
  },
  {
    name: "large",
    description: "Gives a text of 100 KB.",
    inputSchema: { type: "object", properties: {} },
  },
];

// Made once: the server must cost the same, and little, behind every way.
const TOOLS_JSON = JSON.stringify({ tools: TOOLS });
const LARGE_JSON = JSON.stringify({ content: [{ type: "text", text: LARGE }] });

if (process.argv[2] === "http") serveHttp();
else serveStdio();

function serveStdio() {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    let out = "";
    for (const line of lines) {
      const answer = line.trim() === "" ? undefined : answerTo(JSON.parse(line));
      if (answer !== undefined) out += `${answer}\n`;
    }
    if (out !== "") process.stdout.write(out);
  });
  process.stdin.on("end", () => process.exit(0));
}

function serveHttp() {
  const server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8");
    req.on("data", (chunk) => {
      body += chunk;
    });
    req.on("end", () => {
      const answer = req.method === "POST" ? answerTo(JSON.parse(body)) : undefined;
      if (answer === undefined) res.writeHead(req.method === "GET" ? 405 : 202).end();
      else res.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

/** The answer as a line of JSON; undefined for what is not answered. */
function answerTo({ id, method, params }) {
  if (id === undefined) return undefined;
  const result = resultOf(method, params);
  const end =
    result === undefined ? `"error":{"code":-32601,"message":"unknown method"}` : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${end}}`;
}

function resultOf(method, params) {
  if (method === "tools/call") {
    if (params.name === "large") return LARGE_JSON;
    return `{"content":[{"type":"text","text":${JSON.stringify(String(params.arguments?.message))}}]}`;
  }
  if (method === "tools/list") return TOOLS_JSON;
  if (method === "ping") return "{}";
  if (method !== "initialize") return undefined;
  return JSON.stringify({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1.0.0" },
  });
}
