import { expect, it } from "vitest";
import { patternCost } from "../../../src/lib/schema/pattern-cost.ts";

it.each([
  ["^[a-z0-9-]+/[a-z0-9-]+$", { branches: 1, degree: 2 }],
  ["^\\d{4}-\\d{2}-\\d{2}$", { branches: 1, degree: 1 }],
  ["^(?:GET|POST|PUT)$", { branches: 3, degree: 1 }],
  ["^https?://", { branches: 2, degree: 1 }],
  ["abc", { branches: 1, degree: 1 }],
  ["[a-z]+$", { branches: 1, degree: 2 }],
  ["^a|b+$", { branches: 2, degree: 2 }],
  ["^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$", { branches: 2, degree: 1 }],
  ["^\\p{L}*\\.\\u0041$", { branches: 1, degree: 1 }],
])("%s has a known cost", (pattern, cost) => {
  expect(patternCost(pattern)).toEqual(cost);
});

it.each([
  "^(a+)+$",
  "^(a|a)*$",
  "^(a|aa)+$",
  "^(?:a?){30}$",
  "^(a{1,30}){1,30}$",
  "^(?:[a-z]+\\.)*$",
  "(a)\\1",
  "(?<x>a)\\k<x>",
  "(?=a*)b",
  "(?<!a)b",
  "a{2000}",
  "(?:a{100}){100}",
  "(a|b)".repeat(30),
  "a?".repeat(30),
  "x".repeat(1_001),
  "(a",
  "a)",
])("%s may take too long", (pattern) => {
  expect(patternCost(pattern)).toBeUndefined();
});
