import { expect, it } from "vitest";
import { randomId } from "../../src/lib/id.ts";

it("an id names its noun and is never seen twice", () => {
  const ids = Array.from({ length: 2_000 }, () => randomId("agt"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^agt_[0-9a-hjkmnp-tv-z]{20}$/.test(id))).toBe(true);
});
