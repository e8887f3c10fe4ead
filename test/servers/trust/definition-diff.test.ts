import { expect, test } from "vitest";
import { diffDefinitions } from "../../../src/servers/trust/definition-diff.ts";

const withProperties = (properties: object) => ({ inputSchema: { type: "object", properties } });

test("differences are named by their path, inside schemas too", () => {
  const before = { description: "Adds.", ...withProperties({ a: { type: "number" }, b: {} }) };
  const after = { description: "Adds.", title: "Add", ...withProperties({ a: { type: "string" }, c: {} }) };
  expect(diffDefinitions(before, after)).toEqual([
    { path: "inputSchema.properties.a.type", change: "changed", before: "number", after: "string" },
    { path: "inputSchema.properties.b", change: "removed", before: "{}" },
    { path: "inputSchema.properties.c", change: "added", after: "{}" },
    { path: "title", change: "added", after: "Add" },
  ]);
});

test("what is new is added, whatever the order of its keys, and what says the same is no difference", () => {
  expect(diffDefinitions(null, { name: "add" })).toEqual([{ path: "name", change: "added", after: "add" }]);
  expect(diffDefinitions({ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } })).toEqual([]);
});

test("lists of values are compared whole, lists of schemas one by one", () => {
  expect(diffDefinitions({ enum: ["a", "b"] }, { enum: ["a", "c"] })).toEqual([
    { path: "enum", change: "changed", before: '["a","b"]', after: '["a","c"]' },
  ]);
  expect(diffDefinitions({ anyOf: [{ type: "a" }] }, { anyOf: [{ type: "a" }, { type: "b" }] })).toEqual([
    { path: "anyOf[1]", change: "added", after: '{"type":"b"}' },
  ]);
});

test("a value of null is something, and a name that every object knows is new where it was not", () => {
  expect(diffDefinitions({}, { default: null })).toEqual([
    { path: "default", change: "added", after: "null" },
  ]);
  const named = JSON.parse('{"constructor": {}, "__proto__": {}}');
  expect(diffDefinitions(withProperties({}), withProperties(named))).toEqual([
    { path: "inputSchema.properties.constructor", change: "added", after: "{}" },
    { path: "inputSchema.properties.__proto__", change: "added", after: "{}" },
  ]);
});

test("texts of several lines are compared by line, and what cannot be seen is shown", () => {
  const [change] = diffDefinitions({ description: "a\nb" }, { description: "a\nc\u200b\u200b" });
  expect(change!.lines).toEqual([
    { kind: "same", text: "a" },
    { kind: "removed", text: "b" },
    { kind: "added", text: "c⟨U+200B⟩⟨U+200B⟩" },
  ]);
  expect(diffDefinitions({}, { "a\u200bb": 1 })[0]!.path).toBe("a⟨U+200B⟩b");
});

test("a difference at the end of the longest text that models are shown is shown, and longer texts are cut", () => {
  const long = "word ".repeat(7_900);
  const [change] = diffDefinitions({ description: long }, { description: `${long}zebrafish` });
  expect(change!.after).toMatch(/zebrafish$/);
  const [cut] = diffDefinitions({}, { description: "x".repeat(50_000) });
  expect(cut!.after).toMatch(/^x{40000}… \(10000 more\)$/);
});

test("of very many differences the first are shown, and how many are left is said", () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`p${at}`, {}]));
  const changes = diffDefinitions(withProperties({}), withProperties(many));
  expect(changes).toHaveLength(201);
  expect(changes.at(-1)).toEqual({ path: "…", change: "changed", after: "50 more differences" });
});

test("however deep a definition is, it is compared", () => {
  const nested = (value: unknown, depth: number): object =>
    Array.from({ length: depth }).reduce<object>((inner, _, at) => (at % 2 ? [inner] : { in: inner }), {
      value,
    });
  const changes = diffDefinitions({ schema: nested(1, 60) }, { schema: nested(2, 60) });
  expect(changes).toHaveLength(1);
  expect(changes[0]!.after).toContain('"value":2');
});
