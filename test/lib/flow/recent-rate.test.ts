import { expect, test } from "vitest";
import { RecentRate } from "../../../src/lib/flow/recent-rate.ts";

test("a rate is that of the last seconds, however seldom it is counted", () => {
  const rate = new RecentRate(1_000);
  expect(rate.perSecond).toBe(0);
  rate.mark(2_000, 64);
  expect(rate.perSecond).toBe(64);
  rate.mark(9_000, 71);
  expect(rate.perSecond).toBe(1);
  rate.mark(10_000, 171);
  expect(rate.perSecond).toBe(100);
  rate.mark(10_000, 171);
  rate.mark(40_000, 471);
  expect(rate.perSecond).toBe(10);
});
