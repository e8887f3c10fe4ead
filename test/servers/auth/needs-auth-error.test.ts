import { expect, test } from "vitest";
import { findNeedsAuthError, NeedsAuthError } from "../../../src/servers/auth/needs-auth-error.ts";

test("is found behind whatever wrapped it", () => {
  const error = new NeedsAuthError("scope", "for people");
  expect(findNeedsAuthError(error)).toBe(error);
  expect(findNeedsAuthError(new Error("a", { cause: new Error("b", { cause: error }) }))).toBe(error);
  expect(findNeedsAuthError(new Error("a"))).toBeUndefined();
  expect(findNeedsAuthError(undefined)).toBeUndefined();
});

test("is not looked for without end", () => {
  const circle = new Error("a");
  circle.cause = circle;
  expect(findNeedsAuthError(circle)).toBeUndefined();
});

test("tells models one sentence and people the rest", () => {
  const error = new NeedsAuthError("sign_in", "nobody has signed in");
  expect(error.message).toBe("authentication failed");
  expect(error.detail).toBe("nobody has signed in");
});
