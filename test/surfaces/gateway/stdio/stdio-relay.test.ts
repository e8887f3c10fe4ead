import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textLines } from "../../../../src/lib/lines.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { relayStdio } from "../../../../src/surfaces/gateway/stdio/stdio-relay.ts";
import { type Era, type TestGateway, testClient, testGateway } from "../../../support/test-gateway.ts";
import { EVERYTHING } from "../../../support/test-hub.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const LONG = "mcp_everything_trigger_long_running_operation";

/** A relay as a client sees it: what goes into its stdin and what comes out of its stdout. */
class TestRelay implements Transport {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly exit: Promise<number>;
  readonly received: JSONRPCMessage[] = [];
  readonly #stop = new AbortController();
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;

  constructor(url: string, token: string) {
    const { stdin, stdout } = this;
    this.exit = relayStdio({ url, token, stdin, stdout, signal: this.#stop.signal, log: silentLog });
    void this.#read();
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.write(JSON.stringify(message));
  }

  write(line: string): void {
    this.stdin.write(`${line}\n`);
  }

  /** The answer to a request, sent as a raw line. */
  async ask(id: number, method: string, params = {}): Promise<unknown> {
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const isAnswer = (message: JSONRPCMessage) =>
      "id" in message && message.id === id && !("method" in message);
    await waitUntil(`request ${id} is answered`, () => this.received.some(isAnswer));
    return this.received.find(isAnswer);
  }

  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.stdin.end();
    await this.exit;
    this.onclose?.();
  }

  async #read(): Promise<void> {
    for await (const line of textLines(this.stdout)) {
      const message: JSONRPCMessage = JSON.parse(line);
      this.received.push(message);
      this.onmessage?.(message);
    }
  }
}

const HANDSHAKE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
};

let gateway: TestGateway;
/** The ids of the sessions that were begun. */
const sessions: string[] = [];

beforeAll(async () => {
  gateway = await testGateway({
    servers: { everything: EVERYTHING },
    toolboxes: { demo: ["mcp_everything_echo", LONG] },
    agents: { worker: ["demo"] },
  });
  await gateway.hub.upstream.test("everything");
  const { vault } = gateway.hub;
  const seal = vault.seal.bind(vault);
  vault.seal = (plain, purpose) => {
    const sealed = seal(plain, purpose);
    if (purpose === "toolkeep/session") sessions.push(Buffer.from(sealed).toString("base64url"));
    return sealed;
  };
});

afterAll(() => gateway[Symbol.asyncDispose]());

describe.each<Era>(["legacy", "modern"])("a stdio client of the %s era", (era) => {
  it("lists, calls, gets progress, cancels and hears of changes through the relay", async () => {
    const name = `of-${era}`;
    await gateway.hub.catalog.toolboxes.create(name, { tools: ["mcp_everything_echo", LONG] });
    await gateway.hub.identity.createAgent(name, { toolboxes: [name] });
    let changes = 0;
    const ended: string[] = [];
    gateway.hub.events.on("call.ended", ({ outcome }) => ended.push(outcome));
    const relay = new TestRelay(gateway.url, await gateway.token(name));
    const client = testClient(era, () => {
      changes += 1;
    });
    await client.connect(relay);

    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("mcp_everything_echo");
    const calls = ["a", "b", "c"].map((message) =>
      client.callTool({ name: "mcp_everything_echo", arguments: { message } }),
    );
    expect((await Promise.all(calls)).map((result) => JSON.stringify(result.content))).toEqual(
      ["a", "b", "c"].map((message) => JSON.stringify([{ type: "text", text: `Echo: ${message}` }])),
    );

    const cancel = new AbortController();
    const long = client.callTool(
      { name: LONG, arguments: { duration: 60, steps: 600 } },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    );
    await expect(long).rejects.toThrow();
    await waitUntil("the call is cancelled", () => ended.includes("cancelled"));

    await waitUntil("the change arrives", async () => {
      await gateway.hub.catalog.toolboxes.update(name, { tools: ["mcp_everything_echo"] });
      await gateway.hub.catalog.toolboxes.update(name, { tools: [LONG] });
      return changes > 0;
    });
    await client.close();
    expect(await relay.exit).toBe(0);
  });
});

describe("the relay", () => {
  it("answers each request with a clear error when no daemon is there", async () => {
    await using gateway = await testGateway({ agents: { worker: [] } });
    const token = await gateway.token("worker");
    await gateway.stop();
    const relay = new TestRelay(gateway.url, token);
    expect(await relay.ask(1, "initialize", HANDSHAKE)).toMatchObject({
      error: { message: expect.stringMatching(/daemon at .* cannot be reached .*toolkeep serve/) },
    });
    await relay.close();
  });

  it("names TOOLKEEP_TOKEN when its token is refused", async () => {
    const relay = new TestRelay(gateway.url, "tk_sk_wrong");
    expect(await relay.ask(1, "initialize", HANDSHAKE)).toMatchObject({
      error: { message: expect.stringContaining("TOOLKEEP_TOKEN") },
    });
    await relay.close();
  });

  it("answers a line that is no message, and goes on", async () => {
    const relay = new TestRelay(gateway.url, await gateway.token("worker"));
    relay.write("hello?");
    expect(await relay.ask(1, "initialize", HANDSHAKE)).toMatchObject({
      result: { serverInfo: { name: "toolkeep" } },
    });
    expect(relay.received).toContainEqual(expect.objectContaining({ id: null, error: expect.anything() }));
    await relay.close();
  });

  it("says that a call may have run when the daemon ends under it", async () => {
    await using gateway = await testGateway({ agents: { worker: [] } });
    const relay = new TestRelay(gateway.url, await gateway.token("worker"));
    await relay.ask(1, "initialize", HANDSHAKE);
    relay.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    const started = new Promise<void>((resolve) => gateway.hub.events.on("call.started", () => resolve()));
    const answer = relay.ask(2, "tools/call", { name: "run_shell", arguments: { command: "sleep 60" } });
    await started;
    await gateway.stop();
    expect(await answer).toMatchObject({ error: { message: expect.stringContaining("may have run") } });
    await relay.close();
  });

  it("begins a session anew that the daemon has lost", async () => {
    const token = await gateway.token("worker");
    const relay = new TestRelay(gateway.url, token);
    await relay.ask(1, "initialize", HANDSHAKE);
    relay.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    await relay.ask(2, "ping");
    const lost = sessions.at(-1) ?? "";
    await gateway.fetch({ method: "DELETE", token, headers: { "mcp-session-id": lost } });
    expect(
      await relay.ask(3, "tools/call", { name: "mcp_everything_echo", arguments: { message: "x" } }),
    ).toMatchObject({
      result: { content: [{ text: "Echo: x" }] },
    });
    expect(relay.received).toContainEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await relay.close();
  });

  it.each([408, 429])("listens again where the daemon answered %i", async (status) => {
    let listened = 0;
    const daemon = createServer((req, res) => {
      req.resume();
      const json = { "content-type": "application/json", "mcp-session-id": "s-1" };
      if (req.method === "POST") res.writeHead(200, json).end('{"jsonrpc":"2.0","id":1,"result":{}}');
      else if (req.method !== "GET") res.writeHead(200).end();
      else if (++listened === 1) res.writeHead(status).end();
      else {
        res.writeHead(200, { "content-type": "text/event-stream" });
        res.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
      }
    });
    await once(daemon.listen(0, "127.0.0.1"), "listening");
    const { port } = daemon.address() as AddressInfo;
    const relay = new TestRelay(`http://127.0.0.1:${port}/mcp`, "tk_sk_test");
    await relay.ask(1, "initialize", HANDSHAKE);
    relay.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    const told = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    await waitUntil("it hears the daemon", () =>
      relay.received.some(({ ...it }) => isDeepStrictEqual(it, told)),
    );
    relay.stop();
    await relay.exit;
    daemon.closeAllConnections();
    daemon.close();
  });

  it("gives answers under way before it ends with its stdin", async () => {
    const relay = new TestRelay(gateway.url, await gateway.token("worker"));
    await relay.ask(1, "initialize", HANDSHAKE);
    const answer = relay.ask(2, "tools/call", { name: LONG, arguments: { duration: 0.5, steps: 1 } });
    relay.stdin.end();
    expect(await relay.exit).toBe(0);
    expect(await answer).toMatchObject({ result: { content: [{ type: "text" }] } });
  });

  it("ends with its signal", async () => {
    const relay = new TestRelay(gateway.url, await gateway.token("worker"));
    await relay.ask(1, "initialize", HANDSHAKE);
    relay.stop();
    expect(await relay.exit).toBe(0);
  });
});
