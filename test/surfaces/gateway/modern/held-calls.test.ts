import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inDeep } from "../../../support/length.ts";
import { type TestGateway, testGateway } from "../../../support/test-gateway.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const SETUP = {
  servers: {
    older: {
      command: process.execPath,
      args: [join(import.meta.dirname, "../../../support/servers/asking.mjs")],
      trusted: true,
    },
  },
  toolboxes: { all_of_it: ["mcp:*"] },
  agents: { asker: ["all_of_it"], other: ["all_of_it"] },
};
const ASK = { name: "mcp_older_ask", arguments: { kind: "elicitation", about: "the weather" } };
const ANSWER = { action: "accept", content: { answer: "sunny" } };

const gateway = await testGateway(SETUP);
await gateway.hub.upstream.test("older");
afterAll(() => gateway[Symbol.asyncDispose]());

interface Result {
  readonly resultType: string;
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params: object }>>;
  readonly content?: unknown;
  readonly isError?: boolean;
}

/** One request of the modern era, as a client without any SDK sends it. */
async function post(
  token: string,
  params: Readonly<Record<string, unknown>>,
  { url = gateway.url, signal }: { url?: string; signal?: AbortSignal } = {},
): Promise<{ result: Result; error: { code: number; message: string } }> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": String(params.name),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta } }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const last = text.split("\n").findLast((line) => line.startsWith("data: {"));
  return JSON.parse(last?.slice("data: ".length) ?? text);
}

/** Calls until the server asks. */
async function asked(token: string, on: TestGateway = gateway): Promise<{ state: string; key: string }> {
  const { result } = await post(token, ASK, { url: on.url });
  expect(result).toMatchObject({ resultType: "input_required" });
  return { state: result.requestState, key: Object.keys(result.inputRequests)[0] ?? "" };
}

describe("a call that an older server holds up with a question", () => {
  it("goes on when its client comes back with the answer", async () => {
    const token = await gateway.token("asker");
    const { state, key } = await asked(token);
    const { result } = await post(token, { ...ASK, requestState: state, inputResponses: { [key]: ANSWER } });
    expect(result).toMatchObject({ resultType: "complete" });
    expect(JSON.stringify(result.content)).toContain("sunny");
    expect(gateway.counts().heldCalls).toBe(0);
  });

  it.each([{}, { other: ANSWER }, null, { elicitation_1: 12 }])(
    "asks again where the answer is missing: %j",
    async (inputResponses) => {
      const token = await gateway.token("asker");
      const { state } = await asked(token);
      const again = await post(token, { ...ASK, requestState: state, inputResponses });
      expect(again.result.resultType).toBe("input_required");
      const key = Object.keys(again.result.inputRequests)[0] ?? "";
      const { requestState } = again.result;
      const { result } = await post(token, { ...ASK, requestState, inputResponses: { [key]: ANSWER } });
      expect(JSON.stringify(result.content)).toContain("sunny");
    },
  );

  it("belongs to its token, its tool and its address, and its state cannot be changed", async () => {
    const token = await gateway.token("asker");
    const { state, key } = await asked(token);
    const inputResponses = { [key]: ANSWER };
    const back = { ...ASK, requestState: state, inputResponses };
    const refused = { error: { code: -32602 } };
    expect(await post(await gateway.token("other"), back)).toMatchObject(refused);
    expect(await post(await gateway.token("asker"), back)).toMatchObject(refused);
    expect(await post(token, { ...back, name: "mcp_older_echo" })).toMatchObject(refused);
    expect(await post(token, { ...back, name: "ask" }, { url: `${gateway.url}/server/older` })).toMatchObject(
      refused,
    );
    for (const requestState of [`${state}-TAMPERED`, `${state}A`, "Z".repeat(60), "", 7]) {
      expect(await post(token, { ...back, requestState })).toMatchObject(refused);
    }
    expect((await post(token, back)).result.resultType).toBe("complete");
  });

  it("ends in a clear error at a daemon that does not hold it: another replica, or one that was restarted", async () => {
    const token = await gateway.token("asker");
    const { state, key } = await asked(token);
    const url = await gateway.again();
    const { result } = await post(
      token,
      { ...ASK, requestState: state, inputResponses: { [key]: ANSWER } },
      { url },
    );
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain("Make the call again without requestState");
  });

  it("is answered by one request at a time", async () => {
    const token = await gateway.token("asker");
    const slow = { ...ASK, arguments: { ...ASK.arguments, ms: 300 } };
    const first = post(token, slow);
    const { result } = await first;
    const key = Object.keys(result.inputRequests)[0] ?? "";
    const back = { ...slow, requestState: result.requestState, inputResponses: { [key]: ANSWER } };
    const both = await Promise.all([post(token, back), post(token, back)]);
    const complete = both.filter((each) => each.result?.resultType === "complete");
    expect(complete).not.toHaveLength(0);
    expect(JSON.stringify(both)).toMatch(/sunny/);
  });

  inDeep("keeps its server from nobody, however many wait for their clients", async () => {
    const older = { ...SETUP.servers.older, max_concurrency: 2 };
    await using crowded = await testGateway({ ...SETUP, servers: { older } });
    await crowded.hub.upstream.test("older");
    const token = await crowded.token("asker");
    for (let n = 0; n < 3; n++) await asked(token, crowded);
    const echo = { name: "mcp_older_echo", arguments: { said: "hello" } };
    const { result } = await post(await crowded.token("other"), echo, { url: crowded.url });
    expect(JSON.stringify(result.content)).toContain("hello");
  });

  it("is stopped when nobody comes back in time", async () => {
    await using short = await testGateway({ ...SETUP, gateway: { holdMs: 100 } });
    await short.hub.upstream.test("older");
    const ended: string[] = [];
    short.hub.events.on("call.ended", ({ outcome }) => ended.push(outcome));
    const token = await short.token("asker");
    const { state, key } = await asked(token, short);
    expect(short.counts().heldCalls).toBe(1);
    await waitUntil("the call ends", () => ended.length > 0);
    expect(short.counts().heldCalls).toBe(0);
    const late = await post(
      token,
      { ...ASK, requestState: state, inputResponses: { [key]: ANSWER } },
      { url: short.url },
    );
    expect(late).toMatchObject({ error: { message: expect.stringContaining("expired") } });
  });

  it("is stopped when its client hangs up while it works", async () => {
    const ended: string[] = [];
    const stop = gateway.hub.events.on("call.ended", ({ outcome }) => ended.push(outcome));
    const hangUp = new AbortController();
    const call = post(
      await gateway.token("asker"),
      { ...ASK, arguments: { ...ASK.arguments, ms: 60_000 } },
      { signal: hangUp.signal },
    );
    const started = new Promise((resolve) => {
      const off = gateway.hub.events.on("call.started", () => {
        off();
        resolve(undefined);
      });
    });
    await started;
    hangUp.abort();
    await expect(call).rejects.toThrow();
    await waitUntil("the call ends", () => ended.includes("cancelled"));
    stop();
  });
});
