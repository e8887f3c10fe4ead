import { expect, test } from "vitest";
import { similarity } from "../../../src/machine/text/similarity.ts";

test("the same words in another order and form are the same", () => {
  expect(similarity("The deploy key is in the vault", "deploy keys: vault")).toBe(1);
});

test("texts without a word in common have nothing in common", () => {
  expect(similarity("blue car", "green tree")).toBe(0);
});

test("what is added makes them differ, the same way round for both", () => {
  const [one, other] = ["prefers tabs", "prefers tabs over spaces in Python"];
  expect(similarity(one, other)).toBeGreaterThan(0.3);
  expect(similarity(one, other)).toBeLessThan(0.9);
  expect(similarity(one, other)).toBe(similarity(other, one));
});

test("texts without a word are alike only when they are the same", () => {
  expect([similarity("…", "…"), similarity("…", "!"), similarity("", "word")]).toEqual([1, 0, 0]);
});
