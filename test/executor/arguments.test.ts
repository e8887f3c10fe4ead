import { describe, expect, it } from "vitest";
import { checkArguments } from "../../src/executor/arguments.ts";
import { Schemas } from "../../src/executor/schemas.ts";
import type { JsonSchema } from "../../src/tool.ts";

const check = (inputSchema: JsonSchema, given: unknown, broken: string[] = []) =>
  checkArguments({ name: "t", inputSchema }, given, new Schemas((_, message) => broken.push(message)));

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    mode: { enum: ["fast", "safe"] },
  },
  required: ["path"],
  additionalProperties: false,
};

describe("checkArguments", () => {
  it("passes on what fits, untouched", () => {
    const given = { path: "a", limit: 2 };
    const checked = check(schema, given);
    expect(checked.ok && checked.value).toBe(given);
  });

  it("repairs before it refuses", () => {
    expect(check(schema, { path: "a", limit: "2" })).toEqual({ ok: true, value: { path: "a", limit: 2 } });
  });

  it("takes absent arguments as none and JSON text as its value", () => {
    expect(check({ type: "object" }, undefined)).toEqual({ ok: true, value: {} });
    expect(check(schema, '{"path":"a"}')).toEqual({ ok: true, value: { path: "a" } });
  });

  it.each([
    [{}, "path is missing"],
    [{ path: "a", limit: "many" }, 'limit must be integer, got string "many"'],
    [{ path: "a", limit: 0 }, "limit must be >= 1, got number 0"],
    [{ path: "a", mode: "slow" }, 'mode must be one of "fast", "safe", got string "slow"'],
    [{ path: "a", pth: 1 }, "pth is not a property it takes; did you mean path?"],
    [[1], "must be an object, got an array of 1"],
    ["nonsense", 'must be an object, got string "nonsense"'],
  ])("says of %j: %s", (given, message) => {
    const checked = check(schema, given);
    expect(checked.ok ? "" : checked.error.message).toContain(message);
  });

  it("names at most five problems", () => {
    const required = Array.from({ length: 9 }, (_, index) => `p${index}`);
    const checked = check({ type: "object", required }, {});
    expect(checked.ok ? "" : checked.error.message).toMatch(/and 4 more$/);
  });

  it.each([
    ["http://json-schema.org/draft-04/schema#", { minimum: 1, exclusiveMinimum: true }],
    ["http://json-schema.org/draft-07/schema#", { exclusiveMinimum: 1 }],
    ["https://json-schema.org/draft/2019-09/schema", { exclusiveMinimum: 1 }],
    ["https://json-schema.org/draft/2020-12/schema", { exclusiveMinimum: 1 }],
    [undefined, { exclusiveMinimum: 1 }],
  ])("understands the dialect %s", ($schema, rule) => {
    const dialect = {
      ...($schema ? { $schema } : {}),
      type: "object",
      properties: { n: { type: "number", ...rule } },
    };
    expect(check(dialect, { n: 2 }).ok).toBe(true);
    expect(check(dialect, { n: 1 }).ok).toBe(false);
  });

  it("lets any object through a schema that does not compile, and reports it once", () => {
    const broken: string[] = [];
    const schemas = new Schemas((_, message) => broken.push(message));
    const wrong = { type: "object", properties: { a: { $ref: "#/nowhere" } } };
    for (let i = 0; i < 3; i++)
      expect(checkArguments({ name: "t", inputSchema: wrong }, { a: 1 }, schemas).ok).toBe(true);
    expect(broken).toHaveLength(1);
  });

  it("keeps two servers' schemas with the same $id apart", () => {
    const schemas = new Schemas(() => {});
    const one = { $id: "https://x/s", type: "object", required: ["a"] };
    const two = { $id: "https://x/s", type: "object", required: ["b"] };
    expect(checkArguments({ name: "t", inputSchema: one }, { a: 1 }, schemas).ok).toBe(true);
    expect(checkArguments({ name: "t", inputSchema: two }, { b: 1 }, schemas).ok).toBe(true);
    expect(checkArguments({ name: "t", inputSchema: two }, { a: 1 }, schemas).ok).toBe(false);
  });
});
