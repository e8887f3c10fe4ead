import { describe, expect, it } from "vitest";
import { ago } from "../../../../src/lib/terminal/ago.ts";
import { parseDuration } from "../../../../src/surfaces/cli/print/duration.ts";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["90s", 90_000],
    ["5m", 300_000],
    ["12h", 43_200_000],
    ["30d", 2_592_000_000],
    ["2w", 1_209_600_000],
  ])("%s is %i milliseconds", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it("without a unit need one, unless the command has its own", () => {
    expect(parseDuration("30", "s")).toBe(30_000);
    expect(() => parseDuration("30")).toThrow(/such as 30d; got "30"/);
    expect(() => parseDuration("soon", "s")).toThrow(/got "soon"/);
  });

  it("ago are told in the largest whole unit", () => {
    const now = 1_000_000_000;
    expect([5_000, 120_000, 7_200_000, 172_800_000].map((past) => ago(now - past, now))).toEqual([
      "5s ago",
      "2m ago",
      "2h ago",
      "2d ago",
    ]);
    expect(ago(null, now)).toBe("never");
  });
});
