import { expect, test } from "vitest";
import { FairQueue } from "../../../src/lib/flow/fair-queue.ts";

const never = new AbortController().signal;

/** Enters and notes when it was served; ends at once. */
async function pass(queue: FairQueue, agent: string, order: string[], signal = never): Promise<void> {
  const turn = await queue.enter(agent, signal);
  if (!turn.ok) return void order.push(`${agent} had none`);
  order.push(agent);
  await Promise.resolve();
  turn.value();
}

test("agents take turns, however many calls each has waiting", async () => {
  const queue = new FairQueue(() => 1, 100);
  const first = await queue.enter("a", never);
  const order: string[] = [];
  const waiting = ["a", "a", "a", "a", "b", "c", "b"].map((agent) => pass(queue, agent, order));
  if (first.ok) first.value();
  await Promise.all(waiting);
  expect(order).toEqual(["a", "b", "c", "a", "b", "a", "a"]);
});

test("a call that is given up while it waits has no turn and holds up nobody", async () => {
  const queue = new FairQueue(() => 1, 100);
  const first = await queue.enter("a", never);
  const order: string[] = [];
  const cancel = new AbortController();
  const waiting = [pass(queue, "b", order, cancel.signal), pass(queue, "c", order)];
  cancel.abort("given up");
  if (first.ok) first.value();
  await Promise.all(waiting);
  expect(order).toEqual(["b had none", "c"]);
  expect(queue.waiting).toBe(0);
});

test("a raised limit lets in as many as fit with the next turn that ends", async () => {
  let limit = 1;
  const queue = new FairQueue(() => limit, 100);
  const first = await queue.enter("a", never);
  const turns = [1, 2, 3].map(() => queue.enter("a", never));
  limit = 3;
  if (first.ok) first.value();
  expect((await Promise.all(turns)).every(({ ok }) => ok)).toBe(true);
});

test("ending a turn twice frees one place only", async () => {
  const queue = new FairQueue(() => 1, 100);
  const first = await queue.enter("a", never);
  if (first.ok) {
    first.value();
    first.value();
  }
  await queue.enter("a", never);
  void queue.enter("a", never);
  expect(queue.waiting).toBe(1);
});

test("more calls of one agent than may wait are refused at once, those of another are not", async () => {
  const queue = new FairQueue(() => 1, 2);
  await queue.enter("a", never);
  void queue.enter("a", never);
  void queue.enter("a", never);
  void queue.enter("b", never);
  expect(queue.waiting).toBe(3);
  expect(await queue.enter("a", never)).toMatchObject({
    ok: false,
    error: expect.stringContaining("2 calls"),
  });
});

test("a turn that pauses lets another have it, and goes on whoever has one then", async () => {
  const queue = new FairQueue(() => 1, 100);
  const first = await queue.enter("a", never);
  const order: string[] = [];
  const second = pass(queue, "b", order);
  queue.pause();
  await second;
  expect(order).toEqual(["b"]);
  queue.resume();
  const third = pass(queue, "b", order);
  await Promise.resolve();
  expect(order).toEqual(["b"]);
  if (first.ok) first.value();
  await third;
  expect(order).toEqual(["b", "b"]);
});

test("one that is hurried has its turn though nobody ended one, and only those of its agent are", async () => {
  const queue = new FairQueue(() => 1, 100);
  await queue.enter("a", never);
  const order: string[] = [];
  const [other, own] = [pass(queue, "b", order), pass(queue, "c", order)];
  queue.hurry("c");
  await own;
  expect(order).toEqual(["c"]);
  queue.hurry("c");
  queue.hurry("b");
  await other;
  expect(order).toEqual(["c", "b"]);
});
