import { expect, it } from "vitest";
import { checkKey, keyFrom } from "../../../src/features/projects/key.ts";

it.each([
  ["Tool keeper", "TK"],
  ["website", "WEBS"],
  ["The very long name of it", "TVLN"],
  ["Émile Zola", "EZ"],
  ["7 dwarfs", "P7D"],
  ["x", "PX"],
  ["東京", "PR"],
  ["", "PR"],
])("the key of %j is %s", (name, key) => {
  expect(keyFrom(name, new Set())).toBe(key);
});

it("a key that is taken gets a number, and every key that is made is one that may be given", () => {
  const taken = new Set<string>();
  for (let round = 0; round < 120; round++) taken.add(checkKey(keyFrom("The very long name", taken)));
  expect(taken.size).toBe(120);
  expect([...taken].slice(0, 3)).toEqual(["TVLN", "TVLN2", "TVLN3"]);
});

it.each(["T", "TOOLKEEPERS", "1A", "T-K", "T K", "ÄB", ""])("%j is no key", (key) => {
  expect(() => checkKey(key)).toThrow(expect.objectContaining({ code: "NAME_INVALID" }));
});

it("a key may be given in small letters", () => {
  expect(checkKey("tk")).toBe("TK");
});
