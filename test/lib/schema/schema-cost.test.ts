import formats from "ajv-formats/dist/formats.js";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/contract/tool.ts";
import { SchemaCost } from "../../../src/lib/schema/schema-cost.ts";
import { workNow } from "../../support/work-clock.ts";

const small = { size: 10, chars: 300, longest: 100 };
const isSmall = (schema: JsonSchema, extent = small) => new SchemaCost(schema).isSmallFor(extent);
const one = (property: unknown) => ({ type: "object", properties: { a: property } });

describe("ordinary arguments are checked unwatched", () => {
  it.each([
    [one({ anyOf: [{ type: "string" }, { type: "null" }] })],
    [one({ type: "string", format: "email" })],
    [one({ type: "string", pattern: "^[a-z-]+/[a-z-]+$" })],
    [{ ...one({ $ref: "#/$defs/x" }), $defs: { x: { type: "string" }, unused: { $ref: "#/$defs/unused" } } }],
    [
      {
        ...one({ type: "array", uniqueItems: true }),
        allOf: [{ required: ["a"] }],
        not: { required: ["b"] },
      },
    ],
    [{ $id: "https://x/y", patternProperties: { "^x-": { type: "string" } } }],
    // Properties that are named like keywords.
    [
      {
        type: "object",
        properties: { pattern: { type: "string" }, format: {}, id: {}, $ref: { type: "string" } },
      },
    ],
  ])("by %j", (schema) => {
    expect(isSmall(schema)).toBe(true);
  });
});

describe("a check is watched", () => {
  it.each([
    ["a pattern that may take exponentially long", one({ pattern: "^(a+)+$" })],
    ["one for the names of properties", { patternProperties: { "(a+)+$": {} } }],
    [
      "one behind a property that is named like a keyword",
      one({ properties: { pattern: { pattern: "(a+)+$" } } }),
    ],
    ["what refers to itself", one({ $ref: "#" })],
    ["what refers elsewhere", one({ $ref: "other.json" })],
    ["addresses within", { ...one({ $ref: "#/$defs/x" }), $defs: { x: { $id: "urn:x" } } }],
    ["what depends on all that was looked at", { ...one({}), unevaluatedProperties: false }],
    ["branches of branches", { ...one({ $ref: "#/$defs/b0" }), $defs: doubling(30) }],
  ])("for %s", (_, schema) => {
    expect(isSmall(schema)).toBe(false);
  });

  it.each([
    ["long texts for a format", one({ format: "email" }), { ...small, chars: 5_000, longest: 5_000 }],
    ["long texts for a pattern", one({ pattern: "a*b*c*" }), { ...small, chars: 500, longest: 500 }],
    ["many values", one({ items: { type: "string" } }), { ...small, size: 50_000 }],
    ["many that must be unique", one({ uniqueItems: true }), { ...small, size: 500 }],
  ])("for %s", (_, schema, extent) => {
    expect(isSmall(schema, extent)).toBe(false);
  });
});

it("no format takes long for as many characters as are checked unwatched", () => {
  const longest = 1_000;
  expect(isSmall(one({ format: "email" }), { size: 2, chars: longest, longest })).toBe(false);
  const startedAt = workNow();
  for (const format of Object.values(formats.fullFormats)) {
    const check = typeof format === "object" && "validate" in format ? format.validate : format;
    for (const unit of [
      "a",
      "1",
      "a.",
      "a-",
      "-",
      ".",
      ":",
      "/",
      "%41",
      "[",
      "a@",
      "{a}",
      "P1D",
      "0:",
      "~0",
      " ",
    ]) {
      const hostile = `${unit.repeat(longest / unit.length)}\u0000`;
      if (check instanceof RegExp) check.test(hostile);
      else if (typeof check === "function") (check as (text: string) => unknown)(hostile);
    }
  }
  expect(workNow() - startedAt).toBeLessThan(5_000);
});

function doubling(levels: number): Record<string, unknown> {
  const next = (index: number) => ({ $ref: `#/$defs/b${index + 1}` });
  const level = (index: number) => [`b${index}`, { anyOf: [next(index), next(index)] }];
  return { ...Object.fromEntries(Array.from({ length: levels }, (_, i) => level(i))), [`b${levels}`]: {} };
}
