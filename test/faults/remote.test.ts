import { describe, expect, test } from "vitest";
import { remoteServer } from "../support/remote-server.ts";
import { type Exchange, legacyHttp, said as saying } from "../support/servers/legacy-http.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { freshUpstream } from "./fresh-upstream.ts";

const it = freshUpstream({ backoffMs: [100] });
/** Nothing here waits for a time limit. */
const BOUND_MS = 3_000;

interface Row {
  readonly title: string;
  readonly answer: (exchange: Exchange) => unknown;
  readonly ends: Readonly<Record<string, unknown>>;
}

const unavailable = (why: string) => ({ kind: "unavailable", message: expect.stringContaining(why) });

/** How a call is answered, by a server that was well until then. */
const ANSWERS: readonly Row[] = [
  { title: "HTTP 500", answer: status(500), ends: unavailable("HTTP 500") },
  { title: "HTTP 502 and a page for people", answer: status(502, page()), ends: unavailable("HTTP 502") },
  { title: "HTTP 403", answer: status(403), ends: { kind: "unavailable" } },
  { title: "HTTP 413", answer: status(413), ends: unavailable("HTTP 413") },
  { title: "HTTP 429", answer: status(429), ends: unavailable("HTTP 429") },
  { title: "HTTP 401, half-way through", answer: status(401), ends: unavailable("authentication failed") },
  { title: "a page for people and HTTP 200", answer: status(200, page()), ends: {} },
  { title: "HTTP 200 without a body", answer: status(200), ends: {} },
  { title: "HTTP 202, which is for notifications", answer: status(202), ends: {} },
  { title: "HTTP 204", answer: status(204), ends: {} },
  {
    title: "a body that is no JSON",
    answer: ({ response }) => void json(response).end("{no json"),
    ends: {},
  },
  {
    title: "half a body, and the end of the connection",
    answer: ({ id, response }) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id, result: saying("whole") });
      json(response, { "content-length": String(body.length) });
      response.write(body.slice(0, 30), () => response.destroy());
    },
    ends: { kind: "unavailable" },
  },
  {
    title: "the end of the connection in place of an answer",
    answer: ({ response }) => void response.destroy(),
    ends: { kind: "unavailable" },
  },
  {
    title: "the end of the connection after the head of an answer",
    answer: ({ response }) => {
      json(response).flushHeaders();
      setTimeout(() => response.destroy(), 20);
    },
    ends: { kind: "unavailable" },
  },
  {
    title: "a stream of events that ends without the answer",
    answer: ({ response }) => void events(response).end(": nothing\n\n"),
    ends: { kind: "unavailable" },
  },
  {
    title: "a stream of events that breaks off in the middle of the answer",
    answer: ({ id, response }) => {
      events(response).write(`data: {"jsonrpc":"2.0","id":${id},"res`, () => response.destroy());
    },
    ends: { kind: "unavailable" },
  },
  {
    title: "a compressed body that is not compressed",
    answer: ({ response }) => void json(response, { "content-encoding": "gzip" }).end("not gzip"),
    ends: { kind: "unavailable" },
  },
];

describe("a call to a remote server that answers with", () => {
  test.each(ANSWERS.map((row) => [row.title, row] as const))("%s ends at once", async (_, row) => {
    let calls = 0;
    await using remote = await remoteServer(
      legacyHttp([{ name: "call" }], {
        "tools/call": (exchange) => {
          calls++;
          return row.answer(exchange);
        },
      }),
    );
    await it.add("remote", { url: remote.url, headers: { Authorization: "Bearer canary-header" } });

    const took = stopwatch();
    const result = await it.up.call("mcp_remote_call");

    expect(took()).toBeLessThan(BOUND_MS);
    expect(result.kind).toMatch(/^(failed|unavailable)$/);
    expect(result).toMatchObject(row.ends);
    expect(JSON.stringify(result)).not.toMatch(/canary|ZodError|"code":\s*"invalid|<html>/);
    expect(calls).toBe(1);
  });
});

test("a call that is answered with the answer to another one ends with its time limit", async () => {
  await using remote = await remoteServer(
    legacyHttp([{ name: "call" }], {
      "tools/call": ({ response }) =>
        void json(response).end(JSON.stringify({ jsonrpc: "2.0", id: 987_654, result: saying("wrong") })),
    }),
  );
  await it.add("remote", { url: remote.url });
  const result = await it.up.call("mcp_remote_call", {}, { signal: AbortSignal.timeout(300) });
  expect(result).toMatchObject({ kind: "failed", message: "the call was cancelled" });
});

describe("a remote server that is well again", () => {
  test.each([
    ["500", status(500)],
    ["a broken connection", ({ response }: Exchange) => void response.destroy()],
  ])("after %s answers the next call", async (_, answer) => {
    let ill = true;
    await using remote = await remoteServer(
      legacyHttp([{ name: "call" }], {
        "tools/call": (exchange) => (ill ? answer(exchange) : saying("well")),
      }),
    );
    await it.add("remote", { url: remote.url });
    await it.up.call("mcp_remote_call");
    ill = false;
    await waitUntil("it answers", async () => (await it.up.call("mcp_remote_call")).kind === "output");
  });

  test("has a new session when it lost the old one, and nothing was called twice", async () => {
    let calls = 0;
    const server = legacyHttp([{ name: "call" }], { "tools/call": () => saying(`call ${++calls}`) });
    await using remote = await remoteServer(server);
    await it.add("remote", { url: remote.url });
    expect(said(await it.up.call("mcp_remote_call"))).toBe("call 1");
    server.forgetSessions();
    expect(said(await it.up.call("mcp_remote_call"))).toBe("call 2");
    expect(calls).toBe(2);
  });
});

test("one call that breaks off leaves the others of the same server alone", async () => {
  const waiting: Exchange[] = [];
  await using remote = await remoteServer(
    legacyHttp([{ name: "wait" }, { name: "break" }], {
      "tools/call": (exchange) => {
        if (exchange.params.name === "break") exchange.response.destroy();
        else waiting.push(exchange);
      },
    }),
  );
  await it.add("remote", { url: remote.url });
  const slow = it.up.call("mcp_remote_wait");
  await waitUntil("it is under way", () => waiting.length === 1);

  expect(await it.up.call("mcp_remote_break")).toMatchObject({ kind: "unavailable" });
  const [{ id, response }] = waiting as [Exchange];
  json(response).end(JSON.stringify({ jsonrpc: "2.0", id, result: saying("at last") }));

  expect(said(await slow)).toBe("at last");
});

test("an address where nobody listens is unavailable, not a hang", async () => {
  const gone = await remoteServer(() => {});
  await gone[Symbol.asyncDispose]();
  await it.add("remote", { url: gone.url });
  expect(it.up.upstream.server("remote")).toMatchObject({
    state: "unavailable",
    lastError: expect.stringContaining("ECONNREFUSED"),
  });
});

describe("the event stream of 2024-11-05", () => {
  test("that breaks off during a call ends it, and is opened again", async () => {
    let stream: Exchange["response"] | undefined;
    let isWell = false;
    await using remote = await remoteServer(async (request, response) => {
      if (request.method === "GET") {
        stream = events(response);
        return void stream.write("event: endpoint\ndata: /messages\n\n");
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(202).end();
      if (id === undefined) return;
      if (method === "tools/call" && !isWell) return void stream?.destroy();
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "old", version: "1.0.0" },
        },
        "tools/list": { tools: [{ name: "call" }] },
        "tools/call": saying("well"),
      };
      stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: results[method] })}\n\n`);
    });
    await it.add("old", { url: remote.url, transport: "sse" });

    const took = stopwatch();
    expect(await it.up.call("mcp_old_call")).toMatchObject({ kind: "unavailable" });
    expect(took()).toBeLessThan(BOUND_MS);
    isWell = true;
    await waitUntil("it answers", async () => (await it.up.call("mcp_old_call")).kind === "output");
  });
});

function status(code: number, body = ""): (exchange: Exchange) => undefined {
  return ({ response }) => {
    response.writeHead(code, body === "" ? {} : { "content-type": "text/html" }).end(body);
  };
}

function page(): string {
  return "<html><body><h1>Sign in to the hotel network</h1></body></html>";
}

function json(response: Exchange["response"], headers: Record<string, string> = {}) {
  return response.writeHead(200, { "content-type": "application/json", ...headers });
}

function events(response: Exchange["response"]) {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}
