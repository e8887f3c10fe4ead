import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { LightSignal } from "../../src/lib/flow/light-signal.ts";
import { createProcesses } from "../../src/machine/process/processes.ts";
import { createSettlingTransport } from "../../src/servers/transport/requests.ts";
import { StdioTransport } from "../../src/servers/transport/stdio-transport.ts";
import { testHub } from "../support/test-hub.ts";
import { fixture } from "../support/upstream.ts";
import { memoryAtRest } from "./memory.ts";

const AT_ONCE = 32;
const GROWTH_MB = 4;

async function inParallel(count: number, one: (n: number) => Promise<void>): Promise<void> {
  let started = 0;
  const worker = async () => {
    while (started < count) await one(started++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

test("twenty thousand calls leave nothing behind", async () => {
  const { command, args } = fixture("echoes");
  await using it = await testHub({ servers: { echo: { command: command!, args: args! } } });
  await it.hub.upstream.settled();
  const controller = new AbortController();
  setMaxListeners(AT_ONCE, controller.signal);
  const stop = new LightSignal();
  const caller = it.hub.identity.operatorCaller("many");
  const call = async (n: number) => {
    const { outcome, text } = await it.hub.callTool({
      name: "mcp_echo_echo",
      arguments: { n },
      caller,
      via: "library",
      onProgress: () => {},
      // Whoever calls may use one signal for all calls it makes.
      signal: n % 2 === 0 ? controller.signal : stop,
    });
    if (text !== JSON.stringify({ n })) throw new Error(`${outcome}: ${text}`);
  };

  await inParallel(2_000, call);
  const before = await memoryAtRest();
  const startedAt = performance.now();
  await inParallel(20_000, call);
  const seconds = (performance.now() - startedAt) / 1000;
  // What is still to be written to the audit is no longer there a moment later.
  await expect.poll(async () => (await memoryAtRest()) - before, { timeout: 10_000 }).toBeLessThan(GROWTH_MB);
  console.info(`20,000 calls in ${seconds.toFixed(1)} s`);
}, 120_000);

test("requests that were answered, given up or never could be answered are not waited for any more", async () => {
  const processes = createProcesses();
  const { command, args } = fixture("hangs on a call");
  const child = { command: command!, args: args!, cwd: null, env: { PATH: process.env.PATH ?? "" } };
  const transport = createSettlingTransport(new StdioTransport(processes, child, 1_000_000));
  await transport.start();
  const send = (name: string, { signal } = new AbortController()) =>
    transport.direct.send(
      { method: "tools/call", params: { name, arguments: {} }, signal },
      (answer) => answer,
    );
  await inParallel(500, async () => void (await send("cancelled")));
  expect(transport.direct.open).toBe(0);

  const stop = new AbortController();
  setMaxListeners(100, stop.signal);
  const hanging = Array.from({ length: 100 }, () => send("hang", stop));
  expect(transport.direct.open).toBe(100);
  stop.abort("no longer needed");
  await Promise.allSettled(hanging);
  expect(transport.direct.open).toBe(0);

  const lost = Promise.allSettled(Array.from({ length: 100 }, () => send("hang")));
  await transport.close();
  expect((await lost).every(({ status }) => status === "rejected")).toBe(true);
  expect(transport.direct.open).toBe(0);
  await expect(send("late")).rejects.toThrow();
  await processes.close();
}, 60_000);
