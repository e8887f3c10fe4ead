import { describe, expect, it } from "vitest";
import { repair } from "../../src/executor/repair.ts";

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
});

describe("repair", () => {
  it.each([
    ["a number", { type: "integer" }, "5", 5],
    ["a negative decimal", { type: "number" }, " -1.5 ", -1.5],
    ["a boolean", { type: "boolean" }, "true", true],
    ["a Python boolean", { type: "boolean" }, "False", false],
    ["an array", { type: "array", items: { type: "integer" } }, '["1", 2]', [1, 2]],
    ["an object", object({ n: { type: "integer" } }), '{"n": "3"}', { n: 3 }],
    ["a list of one", { type: "array", items: { type: "string" } }, "a", ["a"]],
    ["a nullable number", { type: ["integer", "null"] }, "7", 7],
    ["a number behind anyOf", { anyOf: [{ type: "integer" }, { type: "null" }] }, "7", 7],
    ["a text from a number", { type: "string" }, 12, "12"],
  ])("turns text into %s", (_, schema, given, wanted) => {
    expect(repair(object({ value: schema }), { value: given })).toEqual({ value: wanted });
  });

  it.each([
    ["text where text is allowed", { type: ["string", "integer"] }, "5"],
    ["what is no number", { type: "integer" }, "five"],
    ["a fraction for an integer", { type: "integer" }, "1.5"],
    ["anything without a type", {}, "5"],
  ])("leaves %s alone", (_, schema, given) => {
    expect(repair(object({ value: schema }), { value: given })).toEqual({ value: given });
  });

  it("drops null for an absent optional, keeps it where it is required or allowed", () => {
    const schema = object({ a: { type: "string" }, b: { type: "string" }, c: { type: ["string", "null"] } }, [
      "b",
    ]);
    expect(repair(schema, { a: null, b: null, c: null })).toEqual({ b: null, c: null });
  });

  it("works at any depth and through references", () => {
    const schema = {
      ...object({ list: { type: "array", items: { $ref: "#/$defs/item" } } }),
      $defs: { item: object({ on: { type: "boolean" } }) },
    };
    expect(repair(schema, { list: '[{"on": "true"}]' })).toEqual({ list: [{ on: true }] });
  });

  it("survives a schema that refers to itself", () => {
    const schema = { $ref: "#" };
    expect(repair(schema, { a: 1 })).toEqual({ a: 1 });
    const tree = { type: "object", properties: { child: { $ref: "#" }, n: { type: "integer" } } };
    expect(repair(tree, { child: { child: { n: "1" } } })).toEqual({ child: { child: { n: 1 } } });
  });
});
