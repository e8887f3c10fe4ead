import { describe, expect, test } from "vitest";
import {
  buildParamHeaders,
  dropHeaderFaults,
  findHeaderFault,
} from "../../../src/servers/transport/param-headers.ts";

const marked = (type: string, header: unknown = "Region") => ({
  type: "object",
  properties: { value: { type, "x-mcp-header": header } },
});

describe("a parameter that is marked", () => {
  test.each([
    ["string", "us-west1", "us-west1"],
    ["string", "us west 1", "us west 1"],
    ["integer", 42, "42"],
    ["boolean", false, "false"],
    ["string", "", "=?base64??="],
    ["string", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["string", " padded ", "=?base64?IHBhZGRlZCA=?="],
    ["string", "a\r\nSet-Cookie: x", "=?base64?YQ0KU2V0LUNvb2tpZTogeA==?="],
    ["string", "=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  ])("of the type %s with %j travels as %j", (type, value, header) => {
    expect(buildParamHeaders(marked(type), { value })).toEqual({ "Mcp-Param-Region": header });
  });

  test.each([
    ["null", null],
    ["nothing", undefined],
    ["a number that JSON does not keep", 2 ** 60],
    ["an object", { a: 1 }],
  ])("with %s travels not at all", (_, value) => {
    expect(buildParamHeaders(marked("integer"), { value })).toEqual({});
  });

  test("may lie deep inside the arguments", () => {
    const schema = { type: "object", properties: { where: marked("string") } };
    expect(buildParamHeaders(schema, { where: { value: "here" } })).toEqual({ "Mcp-Param-Region": "here" });
    expect(buildParamHeaders(schema, { where: "nowhere" })).toEqual({});
  });

  test("is found among a tool's own parameters only, and not in what objects inherit", () => {
    const schema = { type: "object", properties: { constructor: { type: "string", "x-mcp-header": "X" } } };
    expect(buildParamHeaders(schema, {})).toEqual({});
  });
});

describe("marks that are not valid", () => {
  test.each([
    ["no name", marked("string", "")],
    ["a name that is no text", marked("string", 1)],
    ["a name with a space", marked("string", "My Region")],
    ["a name with a line break", marked("string", "Region\r\nX")],
    ["a type that is no simple value", marked("object")],
    ["numbers, whose spelling is not certain", marked("number")],
    [
      "one name for two parameters",
      {
        properties: {
          a: { type: "string", "x-mcp-header": "Same" },
          b: { type: "string", "x-mcp-header": "same" },
        },
      },
    ],
    ["a place inside a list", { properties: { list: { type: "array", items: marked("string") } } }],
    ["a place that only may apply", { anyOf: [marked("string")] }],
    ["a place that is only referred to", { $defs: { a: { type: "string", "x-mcp-header": "A" } } }],
    ["the schema itself", { type: "string", "x-mcp-header": "All" }],
  ])("(%s) are named, and send nothing", (_, schema) => {
    expect(findHeaderFault(schema)).toEqual(expect.any(String));
    expect(buildParamHeaders(schema, { value: "x", a: "x", b: "y" })).toEqual({});
  });

  test("cost only their own tool", () => {
    const list = dropHeaderFaults({
      tools: [
        { name: "good", inputSchema: marked("string") },
        { name: "bad", inputSchema: marked("array") },
        { name: "plain", inputSchema: { type: "object" } },
      ],
      warnings: ["before"],
    });
    expect(list.tools.map(({ name }) => name)).toEqual(["good", "plain"]);
    expect(list.warnings).toEqual(["before", expect.stringContaining('"bad" was left out')]);
  });

  test.each([undefined, null, true, "text", [], { properties: null }])("%j has none", (schema) => {
    expect(findHeaderFault(schema)).toBeUndefined();
  });
});
