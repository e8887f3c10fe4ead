import { expect, it } from "vitest";
import { pickForwardedMeta } from "../../../src/surfaces/gateway/methods.ts";

it("is nothing where a client says nothing beside what is about its connection", () => {
  expect(pickForwardedMeta({})).toBeUndefined();
  expect(pickForwardedMeta({ _meta: "no object" })).toBeUndefined();
  const own = { progressToken: 1, "toolkeep/conversation": "c", "io.modelcontextprotocol/clientInfo": {} };
  expect(pickForwardedMeta({ _meta: own })).toBeUndefined();
});

it("leaves out what is too long, too deep or too much, and keeps the rest", () => {
  const deep = JSON.parse(`${"[".repeat(30)}${"]".repeat(30)}`);
  const _meta = { long: "x".repeat(20_000), many: Array(5_000).fill(0), deep, baggage: "user=ada" };
  expect(pickForwardedMeta({ _meta })).toEqual({ baggage: "user=ada" });
  const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, n]));
  expect(Object.keys(pickForwardedMeta({ _meta: keys }) ?? {})).toHaveLength(64);
});

it("makes no prototype of what a client says", () => {
  const passed = pickForwardedMeta({ _meta: JSON.parse('{"__proto__": {"a": 1}, "b": 2}') });
  expect(passed).toEqual({ b: 2 });
  expect((passed as { a?: number }).a).toBeUndefined();
});
