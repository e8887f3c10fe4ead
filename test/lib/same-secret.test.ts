import { expect, it } from "vitest";
import { isSameSecret } from "../../src/lib/same-secret.ts";

it.each([
  ["", ""],
  ["a", "a"],
  ["tk_sk_ä", "tk_sk_ä"],
])("%j and %j are the same", (a, b) => {
  expect(isSameSecret(a, b)).toBe(true);
});

it.each([
  ["", "a"],
  ["a", "A"],
  ["abc", "ab"],
  ["abc", "abc "],
  ["a\0", "a"],
])("%j and %j are not the same, whatever their lengths", (a, b) => {
  expect(isSameSecret(a, b)).toBe(false);
});
