import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { ThreadLostError, WorkerThread, type WorkerThreadOptions } from "../../src/lib/worker-rpc.ts";
import { waitUntil } from "../support/wait-until.ts";

interface TestMethods {
  add(one: number, other: number): number;
  fail(message: string): never;
  unsendable(): unknown;
  untilAborted(): string;
  count(to: number): readonly string[];
  spin(): never;
  exit(code: number): never;
  fill(): never;
  lengthOf(bytes: Uint8Array): number;
  slow(): string;
  threadId(): number;
}

/** As it is built: Node cannot start a thread from TypeScript. */
const RPC = new URL("../../dist/lib/worker-rpc.js", import.meta.url).href;
const CODE = `
import { threadId, workerData } from "node:worker_threads";
import { sendNotice, serveCalls } from ${JSON.stringify(RPC)};
const until = (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve));
sendNotice("begun");
serveCalls({
  add: ([one, other]) => one + other,
  fail: ([message]) => { throw Object.assign(new RangeError(message), { code: "E_TEST" }); },
  unsendable: () => () => {},
  untilAborted: async (_, { signal }) => { await until(signal); throw signal.reason; },
  count: async ([to], { sendPart, signal }) => {
    const sent = [];
    for (let at = 0; at < to && !signal.aborted; at++) {
      await sendPart(at);
      sent.push(Date.now() + " " + at);
    }
    return sent;
  },
  spin: () => { for (;;); },
  exit: ([code]) => process.exit(code),
  fill: () => { const all = []; for (;;) all.push(new Array(1_000).fill({})); },
  lengthOf: ([bytes]) => bytes.length,
  slow: () => new Promise((resolve) => setTimeout(() => resolve("slow"), 100)),
  threadId: () => threadId,
}, async () => Atomics.add(workerData, 0, 1));
`;

function testThread(options: Partial<WorkerThreadOptions> = {}) {
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const notices: unknown[] = [];
  const workers: Worker[] = [];
  const start = () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`), {
      workerData: ended,
      ...{ env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 32 } },
      ...{ stdout: true, stderr: true },
    });
    workers.push(worker);
    return worker;
  };
  const onNotice = (notice: unknown) => notices.push(notice);
  const thread = new WorkerThread<TestMethods>({ start, endingMs: 5_000, onNotice, ...options });
  return {
    ...{ thread, notices, workers, endings: () => ended[0] },
    [Symbol.asyncDispose]: () => thread.close(),
  };
}

test("calls are answered, several at a time, by a thread that starts with the first", async () => {
  await using t = testThread();
  expect(t.workers).toEqual([]);
  const slow = t.thread.call("slow", []);
  expect(await t.thread.call("add", [1, 2])).toBe(3);
  expect(await slow).toBe("slow");
  expect(t.workers).toHaveLength(1);
  expect(t.notices).toEqual(["begun"]);
});

test("an error crosses with its name, code and message, and the thread goes on", async () => {
  await using t = testThread();
  await expect(t.thread.call("fail", ["too far"])).rejects.toMatchObject({
    ...{ name: "RangeError", code: "E_TEST", message: "too far" },
  });
  await expect(t.thread.call("unsendable", [])).rejects.toThrow(/could not be cloned/);
  await expect(t.thread.call("lengthOf", [(() => {}) as never])).rejects.toThrow(/could not be cloned/);
  expect(await t.thread.call("add", [1, 1])).toBe(2);
  expect(t.workers).toHaveLength(1);
});

test("who asks chooses what an error becomes", async () => {
  await using t = testThread({ toError: ({ code }) => new TypeError(code) });
  await expect(t.thread.call("fail", ["x"])).rejects.toThrow(new TypeError("E_TEST"));
});

test("an abort reaches the thread, and the call ends when the thread has stopped", async () => {
  await using t = testThread();
  const stop = new AbortController();
  const waiting = t.thread.call("untilAborted", [], { signal: stop.signal });
  await t.thread.call("add", [0, 0]);
  stop.abort();
  await expect(waiting).rejects.toThrow("it was cancelled");
  await expect(t.thread.call("add", [1, 1], { signal: stop.signal })).rejects.toBe(stop.signal.reason);
});

test("parts come in order, and the thread waits until each was taken", async () => {
  await using t = testThread();
  const parts: number[] = [];
  let isTaking = false;
  const onPart = async (part: number) => {
    expect(isTaking).toBe(false);
    isTaking = true;
    await new Promise((resolve) => setTimeout(resolve, 5));
    isTaking = false;
    parts.push(part);
  };
  expect(await t.thread.call("count", [4], { onPart })).toHaveLength(4);
  expect(parts).toEqual([0, 1, 2, 3]);
});

test("a part that cannot be taken fails the call, and the thread stops sending", async () => {
  await using t = testThread();
  const taken: number[] = [];
  const onPart = (part: number) => {
    taken.push(part);
    if (part === 1) throw new Error("no room");
  };
  await expect(t.thread.call("count", [1_000], { onPart })).rejects.toThrow("no room");
  await t.thread.call("add", [0, 0]);
  expect(taken).toEqual([0, 1]);
});

test("a thread that dies fails the open calls, and the next call starts another", async () => {
  await using t = testThread();
  const open = t.thread.call("untilAborted", []);
  const exiting = t.thread.call("exit", [3]);
  await expect(exiting).rejects.toThrow(new ThreadLostError("its thread ended with 3"));
  await expect(open).rejects.toBeInstanceOf(ThreadLostError);
  expect(await t.thread.call("add", [1, 2])).toBe(3);
  expect(t.workers).toHaveLength(2);
});

test("a thread over its memory limit is lost, and the error says so", async () => {
  await using t = testThread();
  await expect(t.thread.call("fill", [])).rejects.toMatchObject({
    ...{ name: "ThreadLostError", cause: { code: "ERR_WORKER_OUT_OF_MEMORY" } },
  });
  expect(await t.thread.call("add", [1, 2])).toBe(3);
});

test("a call that hangs fails after its time, and its thread is ended", async () => {
  await using t = testThread({ endingMs: 10 });
  await t.thread.call("add", [0, 0]);
  const before = t.workers[0]!;
  const exited = new Promise((resolve) => before.once("exit", resolve));
  await expect(t.thread.call("spin", [], { timeoutMs: 100 })).rejects.toThrow("it took too long");
  await exited;
  expect(await t.thread.call("add", [1, 2], { timeoutMs: 60_000 })).toBe(3);
});

test("what is transferred is gone here", async () => {
  await using t = testThread();
  const bytes = new Uint8Array(1_000);
  expect(await t.thread.call("lengthOf", [bytes], { transfer: [bytes.buffer] })).toBe(1_000);
  expect(bytes.length).toBe(0);
});

test("closing aborts what runs, lets the thread clean up, and takes no more calls", async () => {
  const t = testThread();
  const [waiting, slow] = [t.thread.call("untilAborted", []), t.thread.call("slow", [])];
  const failed = expect(waiting).rejects.toThrow("it was cancelled");
  await t.thread.call("add", [0, 0]);
  await t.thread.close();
  await failed;
  expect(await slow).toBe("slow");
  expect(t.endings()).toBe(1);
  expect(t.workers[0]!.threadId).toBe(-1);
  await expect(t.thread.call("add", [1, 1])).rejects.toThrow(new ThreadLostError("it was closed"));
});

test("closing ends a thread that does not end by itself, at once where it gets no time", async () => {
  for (const endingMs of [0, 50]) {
    const t = testThread({ endingMs });
    await t.thread.call("add", [0, 0]);
    const spinning = expect(t.thread.call("spin", [])).rejects.toBeInstanceOf(ThreadLostError);
    await t.thread.close();
    await spinning;
    expect(t.workers[0]!.threadId).toBe(-1);
  }
});

test("killing fails open calls and does not wait; the next call starts another thread", async () => {
  await using t = testThread();
  const spinning = t.thread.call("spin", []);
  t.thread.kill();
  await expect(spinning).rejects.toThrow(new ThreadLostError("it was ended"));
  expect(await t.thread.call("add", [1, 2])).toBe(3);
});

test("a thread without work ends, and another one goes on", async () => {
  await using t = testThread({ idleMs: 1 });
  const first = await t.thread.call("threadId", []);
  await waitUntil("the thread has ended", () => t.workers[0]!.threadId === -1);
  expect(t.endings()).toBe(1);
  expect(await t.thread.call("threadId", [])).not.toBe(first);
});

test("a thread keeps the process alive only while a call is open, if at all", async () => {
  /** How many threads keep this process alive. */
  const held = () =>
    process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker").length;
  const before = held();
  await using holding = testThread();
  const slow = holding.thread.call("slow", []);
  expect(held()).toBeGreaterThan(before);
  await slow;
  expect(held()).toBe(before);
  await using free = testThread({ keepsAlive: false });
  await free.thread.call("add", [0, 0]);
  const other = free.thread.call("slow", []);
  expect(held()).toBe(before);
  await other;
});
