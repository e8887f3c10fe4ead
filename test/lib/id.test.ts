import { expect, it } from "vitest";
import { randomId } from "../../src/lib/id.ts";

it("an id names its noun and is never seen twice", () => {
  const ids = Array.from({ length: 2_000 }, () => randomId("agt"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^agt_[0-9a-hjkmnp-tv-z]{20}$/.test(id))).toBe(true);
});

it("ids of calls are in the order of their time, and never seen twice either", async () => {
  const early = Array.from({ length: 2_000 }, () => randomId("call"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const late = Array.from({ length: 2_000 }, () => randomId("call"));
  expect(new Set([...early, ...late]).size).toBe(4_000);
  expect(early.every((id) => /^call_[0-9a-hjkmnp-tv-z]{20}$/.test(id))).toBe(true);
  expect([...early].sort().at(-1)! < [...late].sort()[0]!).toBe(true);
});
