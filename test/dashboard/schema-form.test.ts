import { describe, expect, it } from "vitest";
import {
  buildInitialValue,
  collectArguments,
  findProblems,
  parseJson,
} from "../../dashboard/src/pages/tools/form-values.ts";
import { buildForm, type Field } from "../../dashboard/src/pages/tools/schema-fields.ts";

const SCHEMA = {
  type: "object",
  required: ["path", "options", "mode"],
  properties: {
    path: { type: "string", minLength: 2 },
    count: { type: "integer", minimum: 1, maximum: 5, default: 3 },
    ratio: { anyOf: [{ type: "number" }, { type: "null" }] },
    mode: { enum: ["fast", "slow"] },
    force: { type: "boolean" },
    options: { $ref: "#/$defs/Options" },
    tags: { type: "array", items: { type: "string" }, minItems: 1 },
    either: { oneOf: [{ type: "string" }, { type: "object", properties: {} }] },
  },
  $defs: {
    Options: {
      type: "object",
      required: ["deep"],
      properties: { deep: { type: "boolean" }, note: { type: ["string", "null"] } },
    },
  },
};

const kinds = (field: Field) =>
  field.kind === "group" ? Object.fromEntries(field.fields.map((one) => [one.name, one.kind])) : field.kind;

describe("a form made from a schema", () => {
  it("asks for each kind in its own way, and for what can be several as JSON", () => {
    expect(kinds(buildForm(SCHEMA))).toEqual({
      path: "text",
      count: "number",
      ratio: "number",
      mode: "choice",
      force: "boolean",
      options: "group",
      tags: "list",
      either: "json",
    });
  });

  it("begins with the defaults and sends nothing that was left empty", () => {
    const form = buildForm(SCHEMA);
    const initial = buildInitialValue(form);
    expect(initial).toEqual({ count: 3, options: { deep: false } });
    const filled = {
      ...(initial as object),
      path: "a.txt",
      mode: "fast",
      ratio: "",
      either: parseJson("[1]"),
    };
    expect(collectArguments(form, filled)).toEqual({
      path: "a.txt",
      count: 3,
      mode: "fast",
      options: { deep: false },
      either: [1],
    });
  });

  it("says at each field what is wrong with it", () => {
    const problems = findProblems(buildForm(SCHEMA), {
      path: "a",
      count: 7,
      options: {},
      tags: ["", "x"],
      either: parseJson("{"),
    });
    expect(Object.fromEntries(problems)).toMatchObject({
      path: "Enter at least 2 characters (now 1)",
      count: "Must be at most 5",
      mode: "Required",
      "options.deep": "Required",
      "tags.0": "Required",
      either: expect.stringContaining("Not valid JSON"),
    });
  });

  it("is JSON where a schema is none, goes round in a circle or has a thousand keys", () => {
    expect(buildForm("nonsense")).toMatchObject({ kind: "json" });
    const circle = { type: "object", properties: { next: { $ref: "#" } } };
    expect(buildForm(circle)).toMatchObject({ kind: "group" });
    expect(JSON.stringify(buildForm(circle)).length).toBeLessThan(5_000);
    const keys = Array.from({ length: 1_000 }, (_, at) => [`key${at}`, { type: "string" }]);
    expect(buildForm({ type: "object", properties: Object.fromEntries(keys) })).toMatchObject({
      kind: "json",
    });
    expect(buildForm({ $ref: "#/$defs/__proto__" })).toMatchObject({ kind: "json" });
  });
});
