import { expect, test } from "vitest";
import { Stop } from "../../../src/lib/flow/stop.ts";

test("whoever listens is told once, and whoever listens too late at once", () => {
  const stop = new Stop();
  const heard: string[] = [];
  stop.onAbort(() => heard.push("first"));
  stop.abort("enough");
  stop.abort("again");
  stop.onAbort(() => heard.push("late"));
  expect(heard).toEqual(["first", "late"]);
  expect(stop).toMatchObject({ aborted: true, reason: "enough" });
});

test("whoever takes its listener back is not told", () => {
  const stop = new Stop();
  let heard = 0;
  const listener = () => heard++;
  const forget = stop.onAbort(listener);
  stop.onAbort(listener);
  forget();
  stop.abort("enough");
  expect(heard).toBe(1);
});

test("its signal aborts with it, whether it was made before or after", () => {
  const before = new Stop();
  const { signal } = before;
  before.abort("enough");
  expect(signal).toMatchObject({ aborted: true, reason: "enough" });
  const after = new Stop();
  after.abort("enough");
  expect(after.signal).toMatchObject({ aborted: true, reason: "enough" });
});

test("it stops with a signal that it follows, until it no longer does", () => {
  const controller = new AbortController();
  const following = new Stop();
  following.follow(controller.signal, "cancelled");
  const strayed = new Stop();
  strayed.follow(controller.signal)();
  controller.abort("over");
  expect(following).toMatchObject({ aborted: true, reason: "cancelled" });
  expect(strayed.aborted).toBe(false);
  expect(Stop.of(controller.signal)).toMatchObject({ aborted: true, reason: "over" });
});
