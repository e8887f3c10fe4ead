import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OutcomeName } from "../../src/contract/tool.ts";
import type { ServerInput } from "../../src/servers/contract.ts";
import { type RemoteServer, remoteServer } from "../support/remote-server.ts";
import { type Exchange, legacyHttp } from "../support/servers/legacy-http.ts";
import { waiting } from "../support/stopwatch.ts";
import { type TestHub, testHub } from "../support/test-hub.ts";

/** No row may come near it: what cannot be read is answered at once, not when the time is up. */
const TIME_LIMIT_MS = 5_000;

interface Row {
  readonly title: string;
  /** What the server sends; every ID becomes the id of the call. */
  readonly raw: string | Buffer;
  readonly outcome: OutcomeName;
  /** Part of what the caller reads. */
  readonly says?: string;
}

const RIGHT = answer({ result: { content: [{ type: "text", text: "right" }] } });
const right = { outcome: "ok", says: "right" } as const;
const failed = { outcome: "failed" } as const;

/** Beside a right answer, or around it. */
const NOISE: readonly Row[] = [
  { title: "an answer to nothing comes first", raw: `${otherId(987_654)}\n${RIGHT}`, ...right },
  { title: "an answer to an earlier call comes first", raw: `${otherId(0)}\n${RIGHT}`, ...right },
  { title: "an answer with the id null comes first", raw: `${otherId(null)}\n${RIGHT}`, ...right },
  { title: "an answer with the id true comes first", raw: `${otherId(true)}\n${RIGHT}`, ...right },
  { title: "an answer with an object for an id comes first", raw: `${otherId({})}\n${RIGHT}`, ...right },
  { title: "an error without any id comes first", raw: `${withoutId()}\n${RIGHT}`, ...right },
  {
    title: "the answer comes twice, and differs",
    raw: `${RIGHT}\n${answer({ result: { content: [{ type: "text", text: "wrong" }] } })}`,
    ...right,
  },
  { title: "an error follows the answer", raw: `${RIGHT}\n${answer({ error: error() })}`, ...right },
  {
    title: "binary garbage comes first",
    raw: Buffer.concat([garbage(), Buffer.from(`\n${RIGHT}`)]),
    ...right,
  },
  { title: "other JSON comes first", raw: `null\n17\n"text"\n[]\n[1,2]\n{}\n${RIGHT}`, ...right },
  { title: "half a message comes first", raw: `${RIGHT.slice(0, 40)}\n${RIGHT}`, ...right },
  { title: "notifications of no known shape come first", raw: `${oddNotifications()}\n${RIGHT}`, ...right },
];

/** In place of a right answer, in a shape that JSON-RPC does not know. */
const NO_ANSWERS: readonly Row[] = [
  { title: "neither result nor error", raw: answer({}), ...failed },
  { title: "the result null", raw: answer({ result: null }), ...failed },
  { title: "a text for a result", raw: answer({ result: "done" }), ...failed },
  { title: "a number for a result", raw: answer({ result: 1 }), ...failed },
  { title: "a list for a result", raw: answer({ result: [] }), ...failed },
  { title: "the error null", raw: answer({ error: null }), ...failed },
  { title: "a text for an error", raw: answer({ error: "no" }), ...failed },
  { title: "an error without a code", raw: answer({ error: { message: "no code" } }), ...failed },
  { title: "an error without a message", raw: answer({ error: { code: -32000 } }), ...failed },
  {
    title: "an error whose code is a text",
    raw: answer({ error: { code: "-32000", message: "x" } }),
    ...failed,
  },
  { title: "both a result and an error", raw: answer({ result: {}, error: error() }), ...failed },
  { title: "_meta as a text", raw: answer({ result: { _meta: "x", content: [] } }), ...failed },
  { title: "_meta as a list", raw: answer({ result: { _meta: [], content: [] } }), ...failed },
  { title: "_meta null", raw: answer({ result: { _meta: null, content: [] } }), ...failed },
  { title: "an answer without jsonrpc", raw: '{"id":ID,"result":{"content":[]}}', ...failed },
  { title: "an answer of JSON-RPC 1.0", raw: '{"jsonrpc":"1.0","id":ID,"result":{"content":[]}}', ...failed },
];

/** JSON-RPC is content with these, MCP is not; what can be used of them is. */
const ODD_RESULTS: readonly Row[] = [
  { title: "no content at all", raw: answer({ result: {} }), outcome: "ok" },
  { title: "content null", raw: answer({ result: { content: null } }), outcome: "ok" },
  { title: "content as a text", raw: answer({ result: { content: "right" } }), outcome: "ok" },
  { title: "content as an object", raw: answer({ result: { content: { type: "text" } } }), outcome: "ok" },
  {
    title: "content with blocks that are none",
    raw: answer({
      result: { content: [null, 1, "x", [], {}, { type: 7 }, { type: "text", text: "right" }] },
    }),
    ...right,
  },
  {
    title: "text that is no text",
    raw: answer({
      result: {
        content: [
          { type: "text", text: { a: 1 } },
          { type: "text", text: "right" },
        ],
      },
    }),
    ...right,
  },
  {
    title: "an image without data",
    raw: answer({ result: { content: [{ type: "image" }, { type: "text", text: "right" }] } }),
    ...right,
  },
  {
    title: "isError as a text",
    raw: answer({ result: { isError: "yes", content: [{ type: "text", text: "right" }] } }),
    ...right,
  },
  {
    title: "structured content as a list",
    raw: answer({ result: { structuredContent: ["right"], content: [] } }),
    ...right,
  },
  {
    title: "an error of the server",
    raw: answer({ error: error() }),
    ...failed,
    says: "the server's own words",
  },
  {
    title: "invalid UTF-8 in a text",
    raw: Buffer.from(answer({ result: { content: [{ type: "text", text: "right \xff\xfe" }] } }), "latin1"),
    ...right,
  },
  {
    title: "half a surrogate pair, NUL and escape sequences in a text",
    raw: answer({ result: { content: [{ type: "text", text: "right \ud800 \0 \u001b[31m" }] } }),
    ...right,
  },
  {
    title: "fields named __proto__ and constructor",
    raw: answer({ result: { content: [{ type: "text", text: "right" }] } }).replace(
      '"content"',
      '"__proto__":{"isError":true},"constructor":1,"content"',
    ),
    ...right,
  },
  {
    title: "a hundred thousand levels of structured content",
    raw: answer({ result: { structuredContent: { deep: "DEEP" }, content: [] } }).replace(
      '"DEEP"',
      nested(100_000),
    ),
    ...failed,
  },
  {
    title: "a hundred thousand levels of content",
    raw: answer({ result: { content: [{ type: "text", text: "right", deep: "DEEP" }] } }).replace(
      '"DEEP"',
      nested(100_000),
    ),
    ...failed,
  },
  { title: "spaces and CRLF around the answer", raw: ` \t${RIGHT}\r`, ...right },
];

describe("over stdio", () => {
  const faulty = join(import.meta.dirname, "../support/servers/faulty.mjs");
  const server = inOneHub(async () => ({ command: process.execPath, args: [faulty] }));

  test.each(titled(NOISE))("a call is answered when %s", (_, row) => server.check(row));
  test.each(titled(NO_ANSWERS))("a call fails at once when the answer has %s", (_, row) => server.check(row));
  test.each(titled(ODD_RESULTS))("an answer with %s has an outcome", (_, row) => server.check(row));
  test("a batch, as 2025-03-26 had them, is read", () =>
    server.check({ title: "", raw: `[${otherId(987_654)},${RIGHT}]`, ...right }));
});

describe.each(["application/json", "text/event-stream"] as const)("over HTTP as %s", (type) => {
  let remote: RemoteServer;
  const server = inOneHub(async () => {
    const say = (exchange: Exchange) => (type === "application/json" ? sayBody : sayEvents)(exchange);
    remote = await remoteServer(legacyHttp([{ name: "say" }, { name: "echo" }], { "tools/call": say }));
    return { url: remote.url };
  });
  afterAll(() => remote[Symbol.asyncDispose]());

  if (type === "text/event-stream")
    test.each(titled(NOISE))("a call is answered when %s", (_, row) => server.check(row));
  test.each(titled(NO_ANSWERS))("a call fails at once when the answer has %s", (_, row) => server.check(row));
  test.each(titled(ODD_RESULTS))("an answer with %s has an outcome", (_, row) => server.check(row));
});

/** A server for all rows; each of them must leave it fit for the next. */
function inOneHub(open: () => Promise<ServerInput>) {
  let it: TestHub;
  beforeAll(async () => {
    it = await testHub();
    await it.hub.upstream.add("raw", { ...(await open()), timeoutMs: TIME_LIMIT_MS });
    await it.hub.upstream.settled();
  });
  afterAll(() => it[Symbol.asyncDispose]());

  return {
    async check({ raw, outcome, says = "" }: Row): Promise<void> {
      const { upstream } = it.hub;
      // A row that failed must not take the others with it.
      if (upstream.server("raw").state !== "ready") await upstream.test("raw");
      const waited = waiting();
      const got = await it.call("mcp_raw_say", { raw: Buffer.from(raw).toString("base64") });

      expect({ outcome: got.outcome, text: got.text }).toEqual({
        outcome,
        text: expect.stringContaining(says),
      });
      expect(got.durationMs - waited()).toBeLessThan(TIME_LIMIT_MS / 2);
      expect((await it.call("mcp_raw_echo", { still: "there" })).text).toBe('{"still":"there"}');
      expect(upstream.server("raw")).toMatchObject({ state: "ready", lastError: null });
    },
  };
}

function titled(rows: readonly Row[]): [string, Row][] {
  return rows.map((row) => [row.title, row]);
}

function sayBody({ id, params, response }: Exchange): unknown {
  if (params.name === "echo") return { content: [{ type: "text", text: JSON.stringify(params.arguments) }] };
  response.writeHead(200, { "content-type": "application/json" }).end(told(params.arguments, id));
  return undefined;
}

function sayEvents({ id, params, response }: Exchange): unknown {
  if (params.name === "echo") return { content: [{ type: "text", text: JSON.stringify(params.arguments) }] };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const line of told(params.arguments, id).toString("latin1").split("\n"))
    response.write(Buffer.from(`data: ${line}\n\n`, "latin1"));
  response.end();
  return undefined;
}

function told(args: Readonly<Record<string, unknown>>, id: number): Buffer {
  const raw = Buffer.from(String(args.raw), "base64").toString("latin1");
  return Buffer.from(raw.replaceAll("ID", String(id)), "latin1");
}

function answer(rest: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: "2.0", id: "ID", ...rest }).replace('"ID"', "ID");
}

function otherId(id: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "wrong" }] } });
}

function withoutId(): string {
  return JSON.stringify({ jsonrpc: "2.0", error: error() });
}

function error() {
  return { code: -32_000, message: "the server's own words" };
}

function oddNotifications(): string {
  const odd = [
    { method: "notifications/progress" },
    { method: "notifications/progress", params: { progressToken: {}, progress: "x" } },
    { method: "notifications/tools/list_changed", params: 7 },
    { method: "notifications/cancelled", params: { requestId: {} } },
    { method: "notifications/message", params: null },
    { method: 7 },
  ];
  return odd.map((one) => JSON.stringify({ jsonrpc: "2.0", ...one })).join("\n");
}

/** Every byte but the end of a line. */
function garbage(): Buffer {
  return Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256).filter((byte) => byte !== 10));
}

function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}
