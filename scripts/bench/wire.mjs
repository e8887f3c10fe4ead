// MCP over HTTP as a load generator needs it: correct on the wire and next to no cost, so that a client does not hide what is measured.
import { once } from "node:events";
import { Agent, request } from "node:http";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const CLIENT = { name: "bench", version: "1.0.0" };
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const ANSWER_MS = 30_000;

const DIALECTS = { legacy: openLegacy, modern: openModern, sse: openSse };

/**
 * A client of `url` in a dialect: `legacy` (streamable HTTP with a session where the server gives one), `modern` (2026-07-28) or
 * `sse` (the older HTTP with one stream for all answers). `request(method, params, name)` resolves with the result and rejects with whatever
 * else comes; `close` ends the session and every connection.
 */
export async function connect({ dialect, url, token }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const { hostname, port, pathname } = new URL(url);
  const target = { agent, hostname, port, path: pathname, headers };
  try {
    const client = await DIALECTS[dialect](target);
    const close = async () => {
      await client.close?.();
      agent.destroy();
    };
    return { ...client, close };
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

async function openLegacy(target) {
  let lastId = 0;
  const ask = async (headers, method, params) => {
    lastId += 1;
    const body = `{"jsonrpc":"2.0","id":${lastId},"method":"${method}","params":${params}}`;
    const answer = await exchange(target, headers, body);
    return { answer, result: resultOf(messageIn(answer, method), lastId) };
  };
  const hello = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };
  const { answer, result } = await ask(target.headers, "initialize", JSON.stringify(hello));
  const sessionId = answer.headers["mcp-session-id"];
  const headers = {
    ...target.headers,
    "mcp-protocol-version": result.protocolVersion,
    ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
  };
  await exchange(target, headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return {
    request: async (method, params) => {
      lastId += 1;
      const id = lastId;
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
      return resultOf(messageIn(await exchange(target, headers, body), method), id);
    },
    stream: (onMessage) => openStream({ ...target, headers }, onMessage),
    close: async () => {
      if (sessionId !== undefined)
        await exchange(target, headers, undefined, "DELETE").catch(() => undefined);
    },
  };
}

async function openModern(target) {
  let lastId = 0;
  const meta = JSON.stringify(ENVELOPE);
  const base = { ...target.headers, "mcp-protocol-version": MODERN };
  const ask = async (method, params, name) => {
    lastId += 1;
    const id = lastId;
    const headers = { ...base, "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) };
    const own = params === "{}" ? "" : `${params.slice(1, -1)},`;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${own}"_meta":${meta}}}`;
    return resultOf(messageIn(await exchange(target, headers, body), method), id);
  };
  await ask("server/discover", "{}");
  return { request: ask };
}

async function openSse(target) {
  let lastId = 0;
  const waiting = new Map();
  const endpoint = deferred();
  const stream = await openStream(target, (data, event) => {
    if (event === "endpoint") {
      endpoint.resolve(data);
      return;
    }
    const message = JSON.parse(data);
    waiting.get(message.id)?.resolve(message);
    waiting.delete(message.id);
  });
  void stream.ended.then(() => {
    endpoint.reject(new Error("the stream ended"));
    for (const { reject } of waiting.values()) reject(new Error("the stream ended"));
  });
  const path = new URL(await endpoint.promise, "http://localhost");
  const posting = { ...target, path: `${path.pathname}${path.search}` };
  const send = async (body) => {
    const { status, text } = await exchange(posting, target.headers, body);
    if (status >= 300) throw new Error(`HTTP ${status}: ${text.slice(0, 200)}`);
  };
  const ask = async (method, params) => {
    lastId += 1;
    const id = lastId;
    const answer = deferred();
    waiting.set(id, answer);
    await send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    return resultOf(await answer.promise, id);
  };
  await ask("initialize", JSON.stringify({ protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT }));
  await send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return { request: ask, close: () => stream.close() };
}

/** One POST (or DELETE) and its whole answer. */
function exchange(target, headers, body, method = "POST") {
  return new Promise((resolve, reject) => {
    const sending = request({ ...target, method, headers, timeout: ANSWER_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
      response.on("error", reject);
    });
    sending.on("error", reject);
    sending.on("timeout", () => sending.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
    sending.end(body);
  });
}

/** A GET that stays open; every event of it goes to `onMessage(data, event)`. */
export async function openStream({ headers, ...target }, onMessage) {
  const { "content-type": _, ...rest } = headers;
  const sending = request({
    ...target,
    agent: false,
    method: "GET",
    headers: { ...rest, accept: "text/event-stream" },
  });
  sending.end();
  const [response] = await once(sending, "response");
  if (response.statusCode !== 200) {
    sending.destroy();
    throw new Error(`a stream was refused: HTTP ${response.statusCode}`);
  }
  const parts = [];
  response.setEncoding("utf8");
  response.on("data", (chunk) => {
    parts.push(chunk);
    // A large event comes in many chunks: they are put together once its end is there.
    if (!chunk.endsWith("\n")) return;
    const events = parts.join("").split("\n\n");
    parts.length = 0;
    const left = events.pop();
    if (left !== "") parts.push(left);
    for (const event of events) deliver(event, onMessage);
  });
  const ended = deferred();
  response.on("close", ended.resolve);
  response.on("error", ended.resolve);
  return { ended: ended.promise, close: () => sending.destroy() };
}

function deliver(event, onMessage) {
  let name = "message";
  let data;
  for (const line of event.split("\n")) {
    if (line.startsWith("data:")) data = line.slice(5).trim();
    else if (line.startsWith("event:")) name = line.slice(6).trim();
  }
  if (data) onMessage(data, name);
}

/** The JSON-RPC answer in a response, which may be JSON or a stream of events. */
function messageIn({ status, headers, text }, method) {
  if (status !== 200) throw new Error(`${method}: HTTP ${status}: ${text.slice(0, 200)}`);
  if (headers["content-type"]?.startsWith("application/json")) return JSON.parse(text);
  let answer;
  for (const event of text.split("\n\n")) {
    deliver(event, (data) => {
      const message = JSON.parse(data);
      if (message.method === undefined) answer = message;
    });
  }
  if (answer === undefined) throw new Error(`${method}: the answer was empty: ${text.slice(0, 200)}`);
  return answer;
}

function resultOf(message, id) {
  if (message.id !== id)
    throw new Error(`expected an answer to ${id}, got ${JSON.stringify(message).slice(0, 200)}`);
  if (message.error !== undefined) throw new Error(`an error came back: ${JSON.stringify(message.error)}`);
  return message.result;
}

function deferred() {
  let settle;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
