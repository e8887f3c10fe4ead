import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { INITIALIZE, testGateway } from "../../support/test-gateway.ts";
import { waitUntil } from "../../support/wait-until.ts";

const gateway = await testGateway({
  servers: {
    busy: {
      command: process.execPath,
      args: [join(import.meta.dirname, "../../support/servers/working.mjs")],
      trusted: true,
    },
  },
  toolboxes: { box: ["mcp:*"] },
  agents: { worker: ["box"] },
});
await gateway.hub.upstream.test("busy");
const token = await gateway.token("worker");
afterAll(() => gateway[Symbol.asyncDispose]());

async function begin(): Promise<Record<string, string>> {
  const opened = await gateway.fetch({ token, body: INITIALIZE.replace("2025-06-18", "2025-03-26") });
  await opened.text();
  return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", accept: "application/json" };
}

const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: `mcp_busy_${name}`, arguments: { who: `${id}`, ...args } },
});

interface Answer {
  readonly id: number;
  readonly error?: object;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

async function post(headers: Record<string, string>, body: unknown): Promise<readonly Answer[]> {
  const response = await gateway.fetch({ token, headers, body: JSON.stringify(body) });
  const text = await response.text();
  return text === "" ? [] : JSON.parse(text);
}

const log = async () => JSON.parse((await gateway.call("mcp_busy_log")).text);

describe("X3: a batch of a 2025-03-26 client", () => {
  it("runs calls together that may, and the rest in its order", async () => {
    const answers = await post(await begin(), [
      call(1, "meet", { count: 2 }),
      call(2, "meet", { count: 2 }),
      call(3, "work", { ms: 60 }),
      call(4, "work", { ms: 1 }),
      call(5, "meet", { count: 1 }),
    ]);
    expect(answers.map(({ id, result }) => [id, result?.content?.[0]?.text])).toEqual(
      [1, 2, 3, 4, 5].map((id) => [id, `${id}`]),
    );
    expect(await log()).toMatchObject({ most: 1, order: ["1", "2", "3", "4", "5"] });
  });

  it("is answered in its order, whichever is first", async () => {
    const answers = await post(await begin(), [
      call(11, "look", { ms: 80 }),
      { jsonrpc: "2.0", id: 12, method: "ping" },
      { jsonrpc: "2.0", id: 13, method: "no/such" },
      call(14, "look", { ms: 1 }),
      call(14, "look", { ms: 1 }),
    ]);
    expect(answers.map(({ id, error }) => [id, error === undefined])).toEqual([
      [11, true],
      [12, true],
      [13, false],
      [14, true],
      [14, false],
    ]);
  });

  it("leaves out what its client takes back, also before its turn, and makes no call of it", async () => {
    const headers = await begin();
    const { order: before } = await log();
    const batch = post(headers, [call(21, "work", { ms: 400 }), call(22, "work", { ms: 1 })]);
    await waitUntil("the first runs", async () => (await log()).order.length > before.length);
    const params = { requestId: 22 };
    await post(headers, { jsonrpc: "2.0", method: "notifications/cancelled", params });
    expect((await batch).map(({ id }) => id)).toEqual([21]);
    expect((await log()).order.slice(before.length)).toEqual(["21"]);
  });

  it("makes no further call when its session ends", async () => {
    const headers = await begin();
    const { order: before } = await log();
    const batch = post(headers, [call(31, "work", { ms: 5_000 }), call(32, "work", { ms: 1 })]);
    await waitUntil("the first runs", async () => (await log()).order.length > before.length);
    await gateway.fetch({ token, headers, method: "DELETE" });
    expect((await batch).map(({ id, error }) => [id, error !== undefined])).toEqual([
      [31, true],
      [32, true],
    ]);
    expect((await log()).order.slice(before.length)).toEqual(["31"]);
  });
});
