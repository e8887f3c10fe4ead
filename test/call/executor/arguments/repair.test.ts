import { describe, expect, it } from "vitest";
import { repair as repairWith } from "../../../../src/call/executor/arguments/repair.ts";
import type { JsonSchema } from "../../../../src/contract/tool.ts";
import { Schemas } from "../../../../src/lib/schema/schemas.ts";

const schemas = new Schemas(() => {});

function repair(inputSchema: JsonSchema, value: unknown): unknown {
  return repairWith(inputSchema, value, schemas.partsOf({ name: "t", inputSchema }));
}

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

  const union = {
    anyOf: [
      object({ kind: { const: "a" }, n: { type: "integer" } }, ["kind"]),
      object({ kind: { const: "b" }, n: { type: "string" }, on: { type: "boolean" } }, ["kind"]),
    ],
  };

  it.each([
    [
      "additionalProperties",
      { type: "object", additionalProperties: { type: "integer" } },
      { a: "1" },
      { a: 1 },
    ],
    [
      "patternProperties",
      { type: "object", patternProperties: { "^n_": { type: "integer" } } },
      { n_a: "1", b: "1" },
      { n_a: 1, b: "1" },
    ],
    [
      "prefixItems",
      { prefixItems: [{ type: "integer" }, { type: "string" }], items: { type: "boolean" } },
      ["1", "1", "true"],
      [1, "1", true],
    ],
    [
      "items as a list",
      { items: [{ type: "integer" }], additionalItems: { type: "boolean" } },
      ["1", "true"],
      [1, true],
    ],
    [
      "the branch of anyOf that validates",
      union,
      { kind: "b", n: "5", on: "true" },
      { kind: "b", n: "5", on: true },
    ],
    [
      "the branch of oneOf that validates",
      {
        oneOf: [
          { type: "integer", minimum: 10 },
          { type: "array", items: { type: "integer" } },
        ],
      },
      "[5]",
      [5],
    ],
    [
      "every branch of allOf",
      { allOf: [{ properties: { a: { type: "integer" } } }, { properties: { b: { type: "boolean" } } }] },
      { a: "1", b: "true" },
      { a: 1, b: true },
    ],
    ["a reference beside other keywords", { $ref: "#/$defs/n", minimum: 1 }, "5", 5],
    ["an anchor", { $ref: "#number" }, "5", 5],
    ["enum without a type", { enum: [1, 2, true, "x"] }, "2", 2],
    ["enum with a type that takes text, too", { type: ["integer", "string"], enum: [1, "x"] }, "1", 1],
    ["const without a type", { const: { a: [1] } }, { a: '["1"]' }, { a: [1] }],
    ["a text that no pattern allows", { type: ["string", "integer"], pattern: "^x" }, "5", 5],
    [
      "then",
      JSON.parse(
        '{"properties":{"kind":{"type":"string"}},"if":{"properties":{"kind":{"const":"a"}}},"then":{"properties":{"n":{"type":"integer"}}}}',
      ),
      { kind: "a", n: "1" },
      { kind: "a", n: 1 },
    ],
    [
      "else",
      { if: { properties: { kind: { const: "a" } } }, else: { properties: { n: { type: "integer" } } } },
      { kind: "b", n: "1" },
      { kind: "b", n: 1 },
    ],
    [
      "dependentSchemas",
      { dependentSchemas: { a: { properties: { n: { type: "integer" } } } } },
      { a: 1, n: "1" },
      { a: 1, n: 1 },
    ],
    [
      "unevaluatedProperties",
      { properties: { a: { type: "string" } }, unevaluatedProperties: { type: "integer" } },
      { a: "1", b: "1" },
      { a: "1", b: 1 },
    ],
    ["a text in a text", { type: "integer" }, '"5"', 5],
  ])("reaches %s", (_, schema, given, wanted) => {
    const whole = { ...object({ value: schema }), $defs: { n: { $anchor: "number", type: "integer" } } };
    expect(repair(whole, { value: given })).toEqual({ value: wanted });
  });

  it.each([
    ["9007199254740993", { type: "integer" }],
    ["-9007199254740993", { type: "number" }],
    ["1e400", { type: "number" }],
    ['["9007199254740993"]', { type: "array", items: { type: "integer" } }],
    ["[9007199254740993]", { type: "array", items: { type: "integer" } }],
  ])("does not round %s", (text, schema) => {
    const repaired = JSON.stringify(repair(object({ value: schema }), { value: text }));
    expect(repaired).not.toContain("740992");
    expect(repaired).toMatch(/"[^"]*(740993|1e400)/);
  });

  it("reaches as deep as arguments may nest, and reads no text that nests deeper", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" }, n: { type: "integer" } } };
    const deep = (levels: number, n: unknown): unknown =>
      Array.from({ length: levels }).reduce((child: unknown) => ({ child }), { n });
    expect(repair(tree, deep(190, "1"))).toEqual(deep(190, 1));
    expect(repair(tree, { child: JSON.stringify(deep(150, "1")) })).toEqual({ child: deep(150, 1) });
    const text = `${'{"child":'.repeat(50_000)}{}${"}".repeat(50_000)}`;
    expect(repair(tree, { child: text })).toEqual({ child: text });
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
