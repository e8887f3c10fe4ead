// Tells what it was sent, asks back, logs and refuses, in either era: node telling.mjs legacy|modern
import { createInterface } from "node:readline";

const isModern = process.argv[2] === "modern";
const VERSION = "2026-07-28";
const info = { name: "telling", version: "1.0.0" };
const capabilities = { tools: {}, logging: {} };
const waiting = new Map();
const notifications = [];
let level = null;
let introduced = null;
let asked = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const log = (severity, data) =>
  send({ method: "notifications/message", params: { level: severity, logger: "telling", data } });
const form = (message) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties: {} } },
});
const address = (elicitationId) => ({
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in", url: "https://example.com/in", elicitationId },
});

function ask(question) {
  const id = `question-${++asked}`;
  send({ id, ...question });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const tools = {
  /** What it was sent. */
  tell: ({ params }) => text(params),
  /** Says what it was answered, whom it asks in its era's way; `inputs` are what a server of 2026-07-28 asks. */
  async ask({ params }) {
    const { question = form("Who?"), inputs = { who: question }, state } = params.arguments;
    if (!isModern) return text(await ask(question));
    if (params.inputResponses) return text([params.inputResponses, params.requestState ?? null]);
    return { resultType: "input_required", inputRequests: inputs, ...(state ? { requestState: state } : {}) };
  },
  /** What it was told beside requests, and how whoever connected introduced itself. */
  heard: () => text({ notifications, introduced }),
  roots: async () => text(await ask({ method: "roots/list" })),
  /** Logs twice, then says which level it was set to. */
  log() {
    log("debug", "little");
    log("error", "much");
    return text(level);
  },
  /** Refuses until somebody has been to an address; that is told afterwards. */
  refuse({ id, params }) {
    const { elicitationId } = params.arguments;
    const data = { elicitations: [address(elicitationId).params] };
    send({ id, error: { code: -32042, message: "go there first", data } });
    setTimeout(() => send({ method: "notifications/elicitation/complete", params: { elicitationId } }), 50);
  },
  unwilling: ({ id }) => send({ id, error: { code: -32602, message: "a path is needed", data: { a: 1 } } }),
  /** What no version of the protocol knows, beside what all of them know. */
  rich: () => ({
    content: [
      { type: "text", text: "hi", annotations: { audience: ["user"] }, _meta: { "x/y": 1 } },
      { type: "resource_link", uri: "ui://app", name: "app", title: "App", icons: [{ src: "data:," }] },
      { type: "hologram", beam: [1, 2, 3] },
    ],
    structuredContent: { n: 1 },
    _meta: { "vendor/trace": { id: "abc" } },
  }),
  /** A structured result that is no object, as servers may give from 2026-07-28 on. */
  numbers: () => ({ content: [], structuredContent: [1, 2] }),
};
const outputs = { numbers: { type: "array", items: { type: "number" } } };

const complete = (result) =>
  isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result } : result;
const methods = {
  "server/discover": () =>
    isModern && {
      supportedVersions: [VERSION],
      capabilities,
      _meta: { "io.modelcontextprotocol/serverInfo": info },
    },
  initialize: ({ params }) => {
    introduced = params.capabilities;
    return !isModern && { protocolVersion: params.protocolVersion, capabilities, serverInfo: info };
  },
  "tools/list": () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: name,
      inputSchema: { type: "object" },
      ...(outputs[name] && { outputSchema: outputs[name] }),
    })),
  }),
  "tools/call": (request) => tools[request.params.name](request),
  "logging/setLevel": ({ params }) => {
    level = params.level;
    return {};
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const request = JSON.parse(line);
  if (request.method === undefined) {
    const { result, error } = request;
    return void waiting.get(request.id)?.({ result, error });
  }
  if (request.id === undefined) return void notifications.push(request.method);
  const result = await methods[request.method]?.(request);
  if (result) send({ id: request.id, result: result.resultType ? result : complete(result) });
  else if (!methods[request.method] || result === false)
    send({ id: request.id, error: { code: -32601, message: "no such method" } });
});
