// What a client really sends: a relay on loopback between it and the daemon that notes every exchange.
import { once } from "node:events";
import { createServer, request } from "node:http";

/** How much of an answer is looked at for the notifications it carries. */
const LOOKED_AT = 4 * 1024 * 1024;
const EVENT_STREAM = "text/event-stream";
const LISTEN = "subscriptions/listen";
/** What a server made with SDK 1 says to a request outside of a session. */
const NOT_INITIALIZED = {
  jsonrpc: "2.0",
  error: { code: -32000, message: "Bad Request: Server not initialized" },
  id: null,
};

/**
 * A relay to the daemon at `target`, at `url` with the same path. `exchanges` stand in the order in which they began:
 * `{ verb, accept, version, session, token, messages, status, type, notes }`, where `notes` are the methods that the
 * answer carried. With `legacyOnly` it answers `server/discover` as servers before 2026-07-28 do, so that a client of both
 * eras takes the older. With `direct` there is no relay: `url` is `target`, and nothing is noted.
 */
export async function startWire(target, { direct = false, legacyOnly = false } = {}) {
  if (direct) return { url: target, exchanges: [], close: async () => {} };
  const daemon = new URL(target);
  const exchanges = [];
  const server = createServer((incoming, answer) => {
    relay(incoming, answer, { daemon, exchanges, legacyOnly }).catch((error) => answer.destroy(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}${daemon.pathname}`,
    exchanges,
    /** Ends the client's sessions behind its back. */
    endSessions: async () => {
      const sessions = new Map(
        exchanges.filter(({ session }) => session).map((one) => [one.session, one.token]),
      );
      for (const [session, authorization] of sessions)
        await fetch(target, { method: "DELETE", headers: { "mcp-session-id": session, authorization } });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Every call that reached the daemon. */
export function callsOf(exchanges) {
  return exchanges.flatMap(({ messages }) =>
    messages
      .filter(({ method }) => method === "tools/call")
      .map(({ params }) => ({ name: params.name, text: JSON.stringify(params.arguments ?? {}) })),
  );
}

/** The requests with which a client asked for a stream of its own, in either era, each with what it got. */
export function streamsOf(exchanges) {
  return exchanges.filter(
    ({ verb, accept, messages }) =>
      (verb === "GET" && accept.includes(EVENT_STREAM)) || messages.some(({ method }) => method === LISTEN),
  );
}

export function isServed({ status, type }) {
  return status === 200 && type.startsWith(EVENT_STREAM);
}

/** One line on how a client speaks: its revision, what it asks for first, whether it listens. */
export function mannersOf(exchanges) {
  const messages = exchanges.flatMap((exchange) => exchange.messages);
  const methods = messages.map(({ method }) => method ?? "an answer");
  const initialize = messages.find(({ method }) => method === "initialize");
  const versions = new Set(exchanges.map(({ version }) => version).filter((version) => version));
  const streams = streamsOf(exchanges);
  const notes = new Set(streams.flatMap((stream) => stream.notes));
  return [
    `revision ${[...versions].join(", ") || initialize?.params.protocolVersion || "not named"}`,
    `sends ${counted(methods)}`,
    initialize ? `can ${Object.keys(initialize.params.capabilities).join(", ") || "nothing more"}` : "",
    streams.length === 0 ? "asks for no stream" : streams.map(streamLine).join(", "),
    notes.size === 0 ? "" : `hears ${[...notes].join(", ")}`,
    exchanges.some(({ verb }) => verb === "DELETE") ? "ends its session" : "",
  ]
    .filter((part) => part !== "")
    .join("; ");
}

function streamLine({ verb, status }) {
  return `${verb === "GET" ? "GET stream" : LISTEN} answered with ${status}`;
}

async function relay(incoming, answer, { daemon, exchanges, legacyOnly }) {
  const exchange = {
    verb: incoming.method,
    accept: incoming.headers.accept ?? "",
    version: incoming.headers["mcp-protocol-version"],
    session: incoming.headers["mcp-session-id"],
    token: incoming.headers.authorization,
    messages: [],
    type: "",
    notes: [],
  };
  exchanges.push(exchange);
  const body = await whole(incoming);
  exchange.messages = messagesIn(body);
  if (legacyOnly && exchange.messages.some(({ method }) => method === "server/discover")) {
    exchange.status = 400;
    answer.writeHead(400, { "content-type": "application/json" });
    answer.end(JSON.stringify(NOT_INITIALIZED));
    return;
  }
  const outgoing = request(
    {
      host: daemon.hostname,
      port: daemon.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, host: daemon.host },
    },
    (reply) => {
      exchange.status = reply.statusCode;
      exchange.type = reply.headers["content-type"] ?? "";
      answer.writeHead(reply.statusCode, reply.headers);
      answer.flushHeaders();
      note(reply, exchange);
      reply.pipe(answer);
      reply.on("error", () => answer.destroy());
    },
  );
  outgoing.on("error", () => answer.destroy());
  answer.on("close", () => outgoing.destroy());
  outgoing.end(body);
}

function note(reply, exchange) {
  let text = "";
  reply.on("data", (chunk) => {
    if (text.length < LOOKED_AT) text += chunk;
    exchange.notes = [...text.matchAll(/"method":\s*"([^"]+)"/g)].map(([, method]) => method);
  });
}

function messagesIn(body) {
  if (body.length === 0) return [];
  try {
    return [JSON.parse(body.toString("utf8"))].flat();
  } catch {
    return [];
  }
}

async function whole(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function counted(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count})`)).join(", ");
}
