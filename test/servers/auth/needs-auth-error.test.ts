import { expect, test } from "vitest";
import { NeedsAuthError, needsAuth } from "../../../src/servers/auth/needs-auth-error.ts";

test("is found behind whatever wrapped it", () => {
  const error = new NeedsAuthError("scope", "for people");
  expect(needsAuth(error)).toBe(error);
  expect(needsAuth(new Error("a", { cause: new Error("b", { cause: error }) }))).toBe(error);
  expect(needsAuth(new Error("a"))).toBeUndefined();
  expect(needsAuth(undefined)).toBeUndefined();
});

test("is not looked for without end", () => {
  const circle = new Error("a");
  circle.cause = circle;
  expect(needsAuth(circle)).toBeUndefined();
});

test("tells models one sentence and people the rest", () => {
  const error = new NeedsAuthError("sign_in", "nobody has signed in");
  expect(error.message).toBe("authentication failed");
  expect(error.detail).toBe("nobody has signed in");
});
