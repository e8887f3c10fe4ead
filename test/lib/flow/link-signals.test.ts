import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { linkSignals } from "../../../src/lib/flow/link-signals.ts";

test("the first signal that aborts decides, with its reason", () => {
  const [one, two, linked] = [new AbortController(), new AbortController(), new AbortController()];
  linkSignals(linked, one.signal, undefined, two.signal);
  two.abort("second");
  one.abort("first");
  expect(linked.signal).toMatchObject({ aborted: true, reason: "second" });
});

test("a signal that aborted before counts at once", () => {
  const linked = new AbortController();
  linkSignals(linked, AbortSignal.abort("early"));
  expect(linked.signal).toMatchObject({ aborted: true, reason: "early" });
});

test("nothing is left on the signals once they are unlinked", () => {
  const [one, linked] = [new AbortController(), new AbortController()];
  linkSignals(linked, one.signal)();
  expect(getEventListeners(one.signal, "abort")).toEqual([]);
  one.abort();
  expect(linked.signal.aborted).toBe(false);
});
