import { describe, expect, it } from "vitest";
import { checkArguments } from "../../../../src/call/executor/arguments/arguments.ts";
import type { JsonSchema } from "../../../../src/contract/tool.ts";
import { Schemas } from "../../../../src/lib/schema/schemas.ts";
import { workNow } from "../../../support/work-clock.ts";

const check = (inputSchema: JsonSchema, given: unknown, broken: string[] = []) =>
  checkArguments({ name: "t", inputSchema }, given, {
    schemas: new Schemas((_, message) => broken.push(message)),
    vault: { redact },
  });

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

const redact = (text: string) => text.replaceAll(SECRET, "[redacted]");
const SECRET = `sk-${"s3cr3t".repeat(20)}`;

describe("checkArguments", () => {
  it("shows no part of a known secret, however long", () => {
    const schema = { type: "object", properties: { a: { type: "number" } } };
    const checked = check(schema, { a: SECRET });
    expect(JSON.stringify(checked)).toContain("[redacted]");
    expect(JSON.stringify(checked)).not.toContain("s3cr3t");
  });

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
    [{ path: "a", colour: 1 }, "colour is not a property it takes; it takes path, limit, mode"],
    [[1], "must be an object, got an array of 1"],
    ["nonsense", 'must be an object, got string "nonsense"'],
  ])("says of %j: %s", (given, message) => {
    const checked = check(schema, given);
    expect(checked.ok ? "" : checked.error.message).toContain(message);
  });

  it("the host's own `approved` is removed before anything is checked", () => {
    expect(check(schema, { path: "a", approved: true })).toEqual({ ok: true, value: { path: "a" } });
    expect(check(schema, '{"path":"a","approved":"true"}')).toEqual({ ok: true, value: { path: "a" } });
    expect(check({ type: "object" }, { approved: false, x: 1 })).toEqual({ ok: true, value: { x: 1 } });
  });

  it.each([
    ["properties", { type: "object", properties: { approved: { type: "boolean" } } }],
    [
      "a branch",
      { type: "object", anyOf: [{ $ref: "#/$defs/a" }], $defs: { a: { required: ["approved"] } } },
    ],
  ])("`approved` stays where %s of the tool's own schema has it", (_, declaring) => {
    expect(check(declaring, { approved: true })).toEqual({ ok: true, value: { approved: true } });
  });

  it("`approved` is a name like any other for a tool that takes any names, unless it is a boolean", () => {
    const names = { type: "object", additionalProperties: { type: "string" } };
    expect(check(names, { approved: "by Ann" })).toEqual({ ok: true, value: { approved: "by Ann" } });
    expect(check(names, { approved: true, a: "b" })).toEqual({ ok: true, value: { a: "b" } });
  });

  it("refuses an integer that it could not pass on exactly, and says why", () => {
    const ids = { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } } };
    for (const given of [
      { id: "9007199254740993" },
      '{"id": 9007199254740993}',
      '{"id": "9007199254740993"}',
    ])
      expect(check(ids, given)).toMatchObject({
        error: {
          message: expect.stringContaining(
            'id must be integer, got string "9007199254740993", which is too large to be passed on exactly',
          ),
        },
      });
    expect(check(ids, { id: "9007199254740991" })).toEqual({ ok: true, value: { id: 9007199254740991 } });
    expect(check(ids, '{"name": 9007199254740993}')).toEqual({
      ok: true,
      value: { name: "9007199254740993" },
    });
  });

  it("quotes the value inside a JSON text, and lists the types of a union in one problem", () => {
    const nested = {
      type: "object",
      properties: {
        inner: { type: "object", properties: { n: { type: "integer" } } },
        either: { anyOf: [{ type: "integer" }, { type: "null" }] },
      },
    };
    expect(check(nested, { inner: '{"n": "x"}' })).toMatchObject({
      error: { message: expect.stringContaining('inner.n must be integer, got string "x"') },
    });
    expect(check(nested, { either: "x" })).toMatchObject({
      error: { details: { problems: ['either must be integer or null, got string "x"'] } },
    });
    expect(check(schema, { pth: 1, limit: 2 })).toMatchObject({
      error: { message: expect.stringContaining("path is missing; got pth, limit") },
    });
  });

  it("a text that nests without end cannot switch a tool's schema off", () => {
    const schemas = new Schemas(() => expect.unreachable("the schema is fine"));
    const tree = { type: "object", properties: { child: { $ref: "#" }, n: { type: "integer" } } };
    const tool = { name: "t", inputSchema: tree };
    const child = `${'{"child":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
    expect(checkArguments(tool, { child }, { schemas, vault: { redact } }).ok).toBe(false);
    expect(checkArguments(tool, { n: "x" }, { schemas, vault: { redact } }).ok).toBe(false);
  });

  it.each([
    [
      "branches that differ in what they miss",
      { oneOf: Array.from({ length: 30 }, (_, n) => ({ type: "object", required: [`r${n}`] })) },
      {},
    ],
    ["branches of branches", { $ref: "#/$defs/b0" }, '{"a":"1"}'],
  ])("repairing %s cannot hold everything up", (_, part, given) => {
    const startedAt = workNow();
    const whole = { type: "object", properties: { x: part }, $defs: doubling(30) };
    expect(check(whole, { x: given }).ok).toBe(false);
    expect(workNow() - startedAt).toBeLessThan(10_000);
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

  it("follows a reference to the dialect's own schema", () => {
    const $ref = "http://json-schema.org/draft-07/schema#";
    const takesSchema = { $schema: $ref, type: "object", properties: { schema: { $ref } } };
    expect(check(takesSchema, { schema: { type: "string" } }).ok).toBe(true);
    expect(check(takesSchema, { schema: { type: "no such type" } }).ok).toBe(false);
  });

  it("lets any object through a schema that does not compile, and reports it once", () => {
    const broken: string[] = [];
    const schemas = new Schemas((_, message) => broken.push(message));
    const wrong = { type: "object", properties: { a: { $ref: "#/nowhere" } } };
    for (let i = 0; i < 3; i++)
      expect(
        checkArguments({ name: "t", inputSchema: wrong }, { a: 1 }, { schemas, vault: { redact } }).ok,
      ).toBe(true);
    expect(broken).toHaveLength(1);
  });

  it("keeps two servers' schemas with the same $id apart", () => {
    const schemas = new Schemas(() => {});
    const one = { $id: "https://x/s", type: "object", required: ["a"] };
    const two = { $id: "https://x/s", type: "object", required: ["b"] };
    expect(checkArguments({ name: "t", inputSchema: one }, { a: 1 }, { schemas, vault: { redact } }).ok).toBe(
      true,
    );
    expect(checkArguments({ name: "t", inputSchema: two }, { b: 1 }, { schemas, vault: { redact } }).ok).toBe(
      true,
    );
    expect(checkArguments({ name: "t", inputSchema: two }, { a: 1 }, { schemas, vault: { redact } }).ok).toBe(
      false,
    );
  });

  it.each([
    ["a catastrophic pattern", { s: { type: "string", pattern: "^(a+)+$" } }, { s: `${"a".repeat(40)}!` }],
    ["branches of branches", { x: { $ref: "#/$defs/b0" } }, { x: {} }],
    ["unique items by the thousand", { u: { type: "array", uniqueItems: true } }, { u: manyObjects(40_000) }],
    ["a type in every branch of a wide tree", { x: { $ref: "#/$defs/w0" } }, { x: {} }],
  ])("%s cannot hold everything up", (_, properties, given) => {
    const startedAt = workNow();
    const checked = check({ type: "object", properties, $defs: { ...doubling(30), ...wide(10) } }, given);
    expect(checked.ok ? "" : checked.error.message).toContain("could not be checked in time");
    expect(workNow() - startedAt).toBeLessThan(5_000);
  });

  it("a schema that takes too long to compile lets every object through and is reported", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 2 }]));
    const broken: string[] = [];
    expect(check({ type: "object", properties, required: names }, {}, broken).ok).toBe(true);
    expect(broken).toEqual([expect.stringContaining("takes longer")]);
  });

  it("a schema that refers to itself without end lets every object through and is reported", () => {
    const broken: string[] = [];
    expect(check({ type: "object", allOf: [{ $ref: "#" }] }, { a: 1 }, broken).ok).toBe(true);
    expect(broken).toHaveLength(1);
  });

  it("two schemas with the same nested $id do not know of each other", () => {
    const schemas = new Schemas(() => {});
    const withId = (type: string) => ({
      type: "object",
      properties: { a: { $ref: "urn:x" } },
      $defs: { x: { $id: "urn:x", type } },
    });
    const takes = (type: string, a: unknown) =>
      checkArguments({ name: "t", inputSchema: withId(type) }, { a }, { schemas, vault: { redact } }).ok;
    expect([takes("boolean", true), takes("object", {}), takes("boolean", {})]).toEqual([true, true, false]);
  });

  it("refuses arguments nested so deep that walking them would overflow the stack", () => {
    const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const checked = check({ type: "object" }, deep);
    expect(checked.ok ? "" : checked.error.message).toContain("nested more than 200 levels deep");
  });

  it("keeps __proto__ a key like any other while it repairs", () => {
    const given = JSON.parse('{"n": "1", "__proto__": {"path": "x"}}');
    const checked = check({ type: "object", properties: { n: { type: "integer" } } }, given);
    expect(checked.ok && Object.entries(checked.value)).toEqual([
      ["n", 1],
      ["__proto__", { path: "x" }],
    ]);
    expect(
      check({ ...schema, additionalProperties: true }, JSON.parse('{"__proto__": {"path": "x"}}')).ok,
    ).toBe(false);
  });
});

function manyObjects(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => ({ a: [index] }));
}

function doubling(levels: number): Record<string, unknown> {
  const level = (index: number) => ({ anyOf: [ref(`b${index + 1}`), ref(`b${index + 1}`)] });
  return { ...chain("b", levels, level), [`b${levels}`]: { type: "object", required: ["missing"] } };
}

function wide(levels: number): Record<string, unknown> {
  const level = (index: number) => ({ anyOf: Array.from({ length: 12 }, () => ref(`w${index + 1}`)) });
  return { ...chain("w", levels, level), [`w${levels}`]: { type: "string" } };
}

function chain(prefix: string, levels: number, level: (index: number) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: levels }, (_, index) => [`${prefix}${index}`, level(index)]),
  );
}

function ref(name: string): { $ref: string } {
  return { $ref: `#/$defs/${name}` };
}
