// One server of the soak: node server.mjs BEHAVIOUR FILE [http]
// Every call is written to FILE before anything is made of it. Over HTTP the port is printed once it listens.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

const [behaviour, file, transport] = process.argv.slice(2);
const HUGE = "h".repeat(5 * 1024 * 1024);
const PADDING = "p".repeat(1000);
let calls = 0;

/** What is sent for the n-th call; undefined: nothing. */
const answers = {
  healthy: (id, nonce) => [answer(id, nonce)],

  dies: (id, nonce, n) => (n % 10 === 0 ? process.exit(1) : [answer(id, nonce)]),

  hangs: (id, nonce, n) => (n % 3 === 0 ? [] : [answer(id, nonce)]),

  floods: (id, nonce) => [
    ...Array.from({ length: 100 }, () => PADDING),
    ...Array.from({ length: 100 }, () => notification({ level: "info", data: PADDING })),
    answer(id, nonce),
  ],

  garbage: (id, nonce, n) =>
    [
      [`{"jsonrpc":"2.0","id":${id}}`],
      [`{"jsonrpc":"2.0","id":${id},"result":null}`],
      [`{"jsonrpc":"2.0","id":${id},"error":{"message":7}}`],
      [`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"_meta":[]}}`],
      ["\u0000\u0001{]", answer(id + 100_000, "wrong"), answer(id, nonce), answer(id, "again")],
    ][n % 5],

  huge: (id, nonce, n) => [n % 4 === 0 ? answer(id, HUGE) : answer(id, nonce)],
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: behaviour, version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
};

if (transport === "http") serveHttp();
else createInterface({ input: process.stdin }).on("line", (line) => answerLine(JSON.parse(line)));

function answerLine({ id, method, params }) {
  if (id === undefined) return;
  const lines = linesFor(id, method, params ?? {});
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

function serveHttp() {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request));
    if (id === undefined) return response.writeHead(202).end();
    response.writeHead(method in methods || method === "tools/call" ? 200 : 400, {
      "content-type": "application/json",
    });
    return response.end(linesFor(id, method, params ?? {})[0]);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}

function linesFor(id, method, params) {
  if (method === "tools/call") {
    const { nonce } = params.arguments;
    appendFileSync(file, `${nonce}\n`);
    return answers[behaviour](id, nonce, ++calls);
  }
  const known = methods[method];
  const body = known
    ? { result: known(params) }
    : { error: { code: -32601, message: `no method ${method}` } };
  return [JSON.stringify({ jsonrpc: "2.0", id, ...body })];
}

function answer(id, said) {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: said }] } });
}

function notification(params) {
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params });
}
