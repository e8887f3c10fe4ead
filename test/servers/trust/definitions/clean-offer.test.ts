import { expect, test } from "vitest";
import { cleanOffer } from "../../../../src/servers/trust/definitions/clean-offer.ts";

test("a clean prompt stays the same object", () => {
  const prompt = {
    name: "review",
    description: "Reviews.",
    arguments: [{ name: "path", description: "What." }],
  };
  expect(cleanOffer("prompt", prompt)).toBe(prompt);
});

test("the texts of prompts, their arguments and resources are cleaned", () => {
  const prompt = {
    name: "review",
    title: "R\u200b",
    arguments: [{ name: "path", description: "<system>" }, 7],
  };
  expect(cleanOffer("prompt", prompt)).toEqual({
    name: "review",
    title: "R",
    arguments: [{ name: "path", description: "‹system›" }, 7],
  });
  const resource = { uri: "file:///a", name: "a\u200b", description: "[INST]", _meta: { x: "\u200b" } };
  expect(cleanOffer("resource", resource)).toEqual({
    uri: "file:///a",
    name: "a",
    description: "(INST)",
    _meta: { x: "\u200b" },
  });
});
