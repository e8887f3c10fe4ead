import { expect, test } from "vitest";
import { LIGHT_SIGNAL, LightSignal, lightSignalOf } from "../../../src/lib/flow/light-signal.ts";

test("its signal aborts with it, whether it was made before or after", () => {
  const before = new LightSignal();
  const { ofNode } = before;
  before.abort("enough");
  expect(ofNode).toMatchObject({ aborted: true, reason: "enough" });
  const after = new LightSignal();
  after.abort("enough");
  expect(after.ofNode).toMatchObject({ aborted: true, reason: "enough" });
  expect(AbortSignal.any([after.ofNode]).aborted).toBe(true);
});

test("tells its listeners once, with the first reason, and not those that were taken away", () => {
  const signal = new LightSignal();
  const heard: string[] = [];
  const gone = () => heard.push("gone");
  signal.addEventListener("abort", gone);
  signal.addEventListener("abort", { handleEvent: () => heard.push(String(signal.reason)) });
  signal.removeEventListener("abort", gone);
  expect(signal.aborted).toBe(false);
  expect(() => signal.throwIfAborted()).not.toThrow();
  signal.abort("cancelled");
  signal.abort("timed_out");
  expect(signal.aborted).toBe(true);
  expect(heard).toEqual(["cancelled"]);
  expect(() => signal.throwIfAborted()).toThrow("cancelled");
});

test("a context with a light signal is listened to without one of Node being made, any other by its own", () => {
  const light = new LightSignal();
  const context = {
    [LIGHT_SIGNAL]: light,
    get signal(): AbortSignal {
      throw new Error("a signal of Node was made");
    },
  };
  expect(lightSignalOf(context)).toBe(light);
  const { signal } = new AbortController();
  expect(lightSignalOf({ signal })).toBe(signal);
});
