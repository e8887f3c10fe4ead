import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { createSettlingTransport } from "../../../src/servers/transport/requests.ts";

type Send = NonNullable<Parameters<Transport["send"]>[1]>;

/** A transport whose other end is the test. */
class HandTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly sent: { message: JSONRPCMessage; options: Send | undefined }[] = [];

  async start() {}
  async close() {
    this.onclose?.();
  }
  async send(message: JSONRPCMessage, options?: Send) {
    this.sent.push({ message, options });
    if ("method" in message && message.method === "initialize" && "id" in message) {
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        serverInfo: { name: "x", version: "1" },
      };
      this.onmessage?.({ jsonrpc: "2.0", id: message.id, result });
    }
  }
  get lastId() {
    const requests = this.sent.flatMap(({ message }) => ("id" in message ? [message.id] : []));
    return requests.at(-1) as number;
  }
}

async function connected() {
  const transport = new HandTransport();
  const client = new Client({ name: "test", version: "1" });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(createSettlingTransport(transport));
  const ask = () => client.request({ method: "tools/call", params: { name: "x" } }, z.looseObject({}));
  return { transport, client, ask, errors };
}

test.each([
  ["_meta is no object", { result: { content: [], _meta: 5 } }],
  ["the result is null", { result: null }],
  ["the result is a list", { result: [] }],
  ["the error has no code", { error: { message: "no" } }],
  ["the error is a text", { error: "no" }],
  ["neither is there", {}],
])("an answer whose %s ends its request at once", async (_, answer) => {
  const { transport, ask } = await connected();
  const asked = ask();
  transport.onmessage?.({ jsonrpc: "2.0", id: transport.lastId, ...answer } as never);
  await expect(asked).rejects.toThrow("cannot be read");
});

test("a stream that ends without the answer ends its request, one that brought it does not", async () => {
  const { transport, ask } = await connected();
  const broken = ask();
  transport.sent.at(-1)!.options!.onRequestStreamEnd!();
  await expect(broken).rejects.toThrow("ended the stream");

  const whole = ask();
  transport.onmessage?.({ jsonrpc: "2.0", id: transport.lastId, result: { content: [] } });
  transport.sent.at(-1)!.options!.onRequestStreamEnd!();
  expect(await whole).toEqual({ content: [] });
});

test("answers to nothing are dropped", async () => {
  const { transport, ask, errors } = await connected();
  const asked = ask();
  const id = transport.lastId;
  transport.onmessage?.({ jsonrpc: "2.0", id: 999, result: {} });
  transport.onmessage?.({ jsonrpc: "2.0", id, result: { content: [1] } });
  transport.onmessage?.({ jsonrpc: "2.0", id, result: { content: [2] } });
  expect(await asked).toEqual({ content: [1] });
  expect(errors).toEqual([]);
});

test("requests back are bounded, and those that the server gave up do not count", async () => {
  const { transport, client } = await connected();
  client.fallbackRequestHandler = () => new Promise(() => {});
  const ask = (n: number) => transport.onmessage?.({ jsonrpc: "2.0", id: `back-${n}`, method: "x/ask" });
  const cancel = (n: number) =>
    transport.onmessage?.({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: `back-${n}` },
    });
  for (let n = 0; n < 80; n++) {
    ask(n);
    cancel(n);
  }
  client.fallbackRequestHandler = async () => ({});
  ask(80);
  await expect.poll(() => JSON.stringify(transport.sent)).toContain("back-80");
});

test("a pipe still looks like a pipe, and HTTP does not", () => {
  const pipe = Object.assign(new HandTransport(), { pid: 5, stderr: null });
  expect("pid" in createSettlingTransport(pipe) && "stderr" in createSettlingTransport(pipe)).toBe(true);
  expect("pid" in createSettlingTransport(new HandTransport())).toBe(false);
});
