// The server behind the gateway in `npm run conformance:server`: node fixture-server.mjs ERA [--http]
//   modern  speaks 2026-07-28 only: it refuses `initialize`, and asks with results that require input
//   legacy  speaks 2025-11-25 only: sessions over HTTP, and requests of its own while it works on a call
//   both    either, by request, over HTTP: for running the suite against the fixture itself
// Over stdio, or with --http on a free port of the loopback, printing its address.
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  isLegacyRequest,
  McpServer,
  MissingRequiredClientCapabilityError,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  callTool,
  complete,
  getPrompt,
  listPrompts,
  listResources,
  listTemplates,
  listTools,
  readResource,
  TOOLS,
} from "./fixture-offer.mjs";
import { createTasks, EXTENSION } from "./fixture-tasks.mjs";

const LEGACY = "2025-11-25";
const INFO = { name: "conformance-fixture", version: "1.0.0" };
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};
const CAPABILITIES_OF_CLIENT = "io.modelcontextprotocol/clientCapabilities";
const LIST_CHANGED = { tools: "sendToolListChanged", prompts: "sendPromptListChanged" };
const TASKS = { extensions: { [EXTENSION]: {} } };
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;

/** Thrown through a tool to end its round: what has been asked is the result of the call. */
class InputNeeded {
  constructor(result) {
    this.result = result;
  }
}

const seal = createRequestStateCodec({ key: randomBytes(32) });
const revisions = { tools: 1, prompts: 1 };
const tasks = createTasks();
/** Whoever must hear that a list changed. */
const audience = new Set();

const [era, ...options] = process.argv.slice(2);
if (!["modern", "legacy", "both"].includes(era))
  throw new Error("expected: fixture-server.mjs modern|legacy|both");
if (options.includes("--http")) serveHttp();
else await serveOverStdio();

async function serveOverStdio() {
  if (era === "legacy") await connectLegacy(new StdioServerTransport());
  else serveStdio(() => listening(offer("modern")), { legacy: "reject" });
}

function serveHttp() {
  const modern = createMcpHandler(() => offer("modern"), { legacy: "reject" });
  audience.add((list) => (list === "tools" ? modern.notify.toolsChanged() : modern.notify.promptsChanged()));
  const serveModern = toNodeHandler(modern);
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    if (!localhostHostValidation()(request, response) || !localhostOriginValidation()(request, response))
      return;
    const body = request.method === "POST" ? await json(request) : undefined;
    const isLegacy =
      era === "legacy" ||
      (era === "both" && (await isLegacyRequest(await toWebRequest(request, body), body)));
    if (!isLegacy) return serveModern(request, response, body);
    const id = request.headers["mcp-session-id"];
    const transport = id === undefined ? await newSession(sessions) : sessions.get(id);
    if (transport) await transport.handleRequest(request, response, body);
    else response.writeHead(404).end();
  });
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}

async function json(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return null;
  }
}

async function newSession(sessions) {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: eventStore(),
    retryInterval: 500,
    onsessioninitialized: (id) => {
      sessions.set(id, transport);
    },
    onsessionclosed: (id) => {
      sessions.delete(id);
    },
  });
  await connectLegacy(transport);
  return transport;
}

async function connectLegacy(transport) {
  await listening(offer("legacy")).connect(answeringAsThen(transport));
}

/** Servers of that time answer -32002 for a resource they do not have; this SDK no longer does. */
function answeringAsThen(transport) {
  const send = transport.send.bind(transport);
  transport.send = (message, sending) => {
    const { error } = message;
    const isAboutResource = error?.code === INVALID_PARAMS && error.data?.uri !== undefined;
    return send(
      isAboutResource ? { ...message, error: { ...error, code: RESOURCE_NOT_FOUND } } : message,
      sending,
    );
  };
  return transport;
}

function listening(server) {
  const tell = (list) => server[LIST_CHANGED[list]]();
  audience.add(tell);
  server.server.onclose = () => audience.delete(tell);
  return server;
}

function offer(served) {
  const server = new McpServer(INFO, {
    capabilities: served === "modern" ? { ...CAPABILITIES, ...TASKS } : CAPABILITIES,
    requestState: { verify: seal.verify },
    ...(served === "legacy" && { supportedProtocolVersions: [LEGACY] }),
  });
  // What the SDK knows of tools it uses for one thing: checking the headers that repeat arguments.
  const { inputSchema } = TOOLS.test_x_mcp_header;
  server.registerTool("test_x_mcp_header", { inputSchema: fromJsonSchema(inputSchema) }, () => ({
    content: [],
  }));

  const answers = {
    "tools/list": () => ({ tools: listTools(revisions.tools) }),
    "tools/call": rounds(served, callTool),
    "prompts/list": () => ({ prompts: listPrompts(revisions.prompts) }),
    "prompts/get": rounds(served, getPrompt),
    "resources/list": () => ({ resources: listResources() }),
    "resources/templates/list": () => ({ resourceTemplates: listTemplates() }),
    "resources/read": ({ params }) => readResource(params),
    "resources/subscribe": () => ({}),
    "resources/unsubscribe": () => ({}),
    "completion/complete": ({ params }) => complete(params),
  };
  for (const [method, answer] of Object.entries(answers)) server.server.setRequestHandler(method, answer);
  if (served === "modern") offerTasks(server.server);
  return server;
}

function offerTasks(server) {
  for (const [name, answer] of Object.entries({ get: tasks.get, update: tasks.update, cancel: tasks.cancel }))
    server.setRequestHandler(
      `tasks/${name}`,
      { params: fromJsonSchema({ type: "object" }) },
      (params, { mcpReq }) => {
        if (!knowsTasks(mcpReq))
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: TASKS });
        return answer(params, mcpReq.inputResponses ?? params.inputResponses);
      },
    );
}

function knowsTasks({ envelope }) {
  return envelope?.[CAPABILITIES_OF_CLIENT]?.extensions?.[EXTENSION] !== undefined;
}

/** Lets `work` ask. */
function rounds(served, work) {
  return async ({ params }, context) => {
    const io = { ...reporting(context), announce, ...(served === "modern" ? byResult : byRequest)(context) };
    try {
      return await work(params, io);
    } catch (thrown) {
      if (thrown instanceof InputNeeded) return thrown.result;
      throw thrown;
    }
  };
}

/** 2025-11-25: a question is a request to the client, sent while the call waits; several go out together. */
function byRequest({ mcpReq }) {
  return {
    can: () => true,
    async ask(requests) {
      const answers = Object.entries(requests).map(async ([key, request]) => [
        key,
        await mcpReq.send(request),
      ]);
      return Object.fromEntries(await Promise.all(answers));
    },
  };
}

/**
 * 2026-07-28: a question ends the call, and the client calls again with the answer. What was answered in rounds
 * before travels in the sealed state.
 */
function byResult({ mcpReq }) {
  const earlier = mcpReq.requestState() ?? {};
  const answers = { ...earlier, ...mcpReq.inputResponses };
  return {
    task: knowsTasks(mcpReq) ? tasks.start : undefined,
    can: (capability) => mcpReq.envelope?.[CAPABILITIES_OF_CLIENT]?.[capability] !== undefined,
    async ask(inputRequests, sealed = false) {
      const isAnswered = Object.keys(inputRequests).every((key) => Object.hasOwn(answers, key));
      if (isAnswered && (!sealed || mcpReq.requestState() !== undefined)) return answers;
      const requestState = sealed ? { requestState: await seal.mint(answers) } : {};
      throw new InputNeeded(inputRequired({ inputRequests, ...requestState }));
    },
  };
}

function reporting({ mcpReq, http }) {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    log: (level, data) => mcpReq.log(level, data),
    async progress(progress, total) {
      if (progressToken === undefined) return;
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total } });
    },
    closeStream: () => http?.closeSSE?.(),
  };
}

async function announce(list) {
  revisions[list] += 1;
  for (const tell of audience) await tell(list);
}

/** The events of one session, so that a stream can be taken up again. Sessions here are short. */
function eventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return String(events.length - 1);
    },
    async getStreamIdForEventId(id) {
      return events[Number(id)]?.streamId;
    },
    async replayEventsAfter(id, { send }) {
      const { streamId } = events[Number(id)];
      for (const [index, event] of events.entries())
        if (index > Number(id) && event.streamId === streamId) await send(String(index), event.message);
      return streamId;
    },
  };
}
