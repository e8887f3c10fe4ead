import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { Deadlines } from "../../../src/lib/flow/deadlines.ts";

test("each comes at its own time, in whatever order they were set", async () => {
  const deadlines = new Deadlines();
  const startedAt = performance.now();
  const came: [string, number][] = [];
  const set = (name: string, ms: number) =>
    deadlines.after(ms, () => came.push([name, performance.now() - startedAt]));
  set("last", 120);
  set("first", 20);
  set("second", 60);
  await expect.poll(() => came.map(([name]) => name)).toEqual(["first", "second", "last"]);
  for (const [index, ms] of [20, 60, 120].entries()) expect(came[index]?.[1]).toBeGreaterThanOrEqual(ms);
});

test("what is taken back does not come, and what waits beside it does", async () => {
  const deadlines = new Deadlines();
  const came: string[] = [];
  const back = deadlines.after(10, () => came.push("taken back"));
  deadlines.after(30, () => came.push("kept"));
  deadlines.cancel(back);
  deadlines.cancel(back);
  await expect.poll(() => came).toEqual(["kept"]);
  await delay(30);
  expect(came).toEqual(["kept"]);
});

test("one that sets another when it comes gets that one too", async () => {
  const deadlines = new Deadlines();
  const came: string[] = [];
  deadlines.after(5, () => {
    came.push("one");
    deadlines.after(5, () => came.push("another"));
  });
  await expect.poll(() => came).toEqual(["one", "another"]);
});

test("of those due at once, one may take back another", async () => {
  const deadlines = new Deadlines();
  const came: string[] = [];
  deadlines.after(10, () => {
    came.push("one");
    deadlines.cancel(other);
  });
  const other = deadlines.after(10.2, () => came.push("another"));
  const until = performance.now() + 30;
  while (performance.now() < until);
  await expect.poll(() => came).toEqual(["one"]);
  await delay(20);
  expect(came).toEqual(["one"]);
});

test("what is no number, or more than a timer can wait, is no busy loop", async () => {
  const deadlines = new Deadlines();
  const came: string[] = [];
  deadlines.after(Number.NaN, () => came.push("no number"));
  const far = deadlines.after(1e12, () => came.push("far"));
  await expect.poll(() => came).toEqual(["no number"]);
  await delay(20);
  expect(came).toEqual(["no number"]);
  deadlines.cancel(far);
});

test("only what waits keeps the process alive", () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const deadlines = new Deadlines();
  const deadline = deadlines.after(60_000, () => {});
  expect(timers()).toBe(before + 1);
  deadlines.cancel(deadline);
  expect(timers()).toBe(before);
  const again = deadlines.after(90_000, () => {});
  expect(timers()).toBe(before + 1);
  deadlines.cancel(again);

  const patient = new Deadlines({ keepAlive: false });
  const quiet = patient.after(60_000, () => {});
  expect(timers()).toBe(before);
  patient.cancel(quiet);
});
