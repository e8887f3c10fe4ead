import { describe, expect, it } from "vitest";
import { wildcard } from "../../../src/lib/text/wildcard.ts";
import { workNow } from "../../support/work-clock.ts";

describe("a pattern", () => {
  it.each([
    ["mcp:*", "mcp:github:list", true],
    ["mcp:*", "mcp:", true],
    ["mcp:*", "mcp", false],
    ["mcp:*:list_*", "mcp:github:list_issues", true],
    ["mcp:*:list_*", "mcp:github:create", false],
    ["*", "", true],
    ["**", "anything", true],
    ["a*a", "a", false],
    ["a*b*b", "ab", false],
    ["a*b*b", "abb", true],
    ["plain", "plain", true],
    ["plain", "plainer", false],
    ["a.c", "abc", false],
  ])("%s and %s: %s", (pattern, text, expected) => {
    expect(wildcard(pattern)(text)).toBe(expected);
  });

  it("takes time in proportion to the text, however many stars it has", () => {
    const started = workNow();
    expect(wildcard(`${"a*".repeat(100)}b`)("a".repeat(100_000))).toBe(false);
    expect(workNow() - started).toBeLessThan(1000);
  });
});
