import { describe, expect, it } from "vitest";
import { addressKey, RateLimits } from "../../../src/lib/flow/rate-limits.ts";

function limits(start = 1_000_000) {
  const time = { now: start };
  return { time, limits: new RateLimits(() => time.now) };
}

describe("a rate limit", () => {
  it("lets a minute's worth through at once, then one at a time as they come back", () => {
    const { time, limits: rates } = limits();
    const taken = Array.from({ length: 60 }, () => rates.take("a", 60));
    expect(taken.every((wait) => wait === 0)).toBe(true);
    expect(rates.take("a", 60)).toBe(1_000);
    time.now += 999;
    expect(rates.take("a", 60)).toBe(1);
    time.now += 1;
    expect(rates.take("a", 60)).toBe(0);
    expect(rates.take("a", 60)).toBe(1_000);
  });

  it("counts nothing for those it turns away", () => {
    const { time, limits: rates } = limits();
    rates.take("a", 1);
    for (let attempt = 0; attempt < 50; attempt++) expect(rates.take("a", 1)).toBe(60_000);
    time.now += 60_000;
    expect(rates.take("a", 1)).toBe(0);
  });

  it("is kept for each by itself", () => {
    const { limits: rates } = limits();
    expect(rates.take("a", 1)).toBe(0);
    expect(rates.take("b", 1)).toBe(0);
    expect(rates.take("a", 1)).toBeGreaterThan(0);
  });

  it("of 0 is none", () => {
    const { limits: rates } = limits();
    expect(Array.from({ length: 1_000 }, () => rates.take("a", 0)).some((wait) => wait > 0)).toBe(false);
  });

  it("locks nobody out when the clock is set back", () => {
    const { time, limits: rates } = limits();
    for (let count = 0; count < 60; count++) rates.take("a", 60);
    time.now -= 3_600_000;
    expect(rates.take("a", 60)).toBe(0);
    expect(rates.take("a", 1)).toBeGreaterThan(0);
  });

  it("remembers ten thousand, and forgets the first for the next", () => {
    const { limits: rates } = limits();
    for (let index = 0; index < 10_000; index++) rates.take(String(index), 1);
    expect(rates.take("0", 1)).toBeGreaterThan(0);
    expect(rates.take("new", 1)).toBe(0);
    expect(rates.take("1", 1)).toBeGreaterThan(0);
    expect(rates.take("new", 1)).toBeGreaterThan(0);
    expect(rates.take("0", 1)).toBe(0);
  });
});

describe("the key of an address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::"],
    ["2001:db8::1", "2001:db8::"],
    ["::1", "::"],
    [undefined, ""],
  ])("%j is %j", (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
