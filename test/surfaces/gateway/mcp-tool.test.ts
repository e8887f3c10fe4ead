import { isSpecType } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { toMcpTool } from "../../../src/surfaces/gateway/mcp-tool.ts";
import { testTool } from "../../support/tools.ts";

describe("a tool as MCP lists it", () => {
  it("carries what its origin published", () => {
    const published = {
      annotations: { readOnlyHint: true, title: "Look" },
      icons: [{ src: "https://example.org/a.png", mimeType: "image/png" }],
      _meta: { "example.org/kind": "x" },
    };
    const tool = testTool({ name: "look", title: "Look up", outputSchema: { type: "object" }, published });
    expect(toMcpTool(tool)).toEqual({
      name: "look",
      title: "Look up",
      description: "The tool look.",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      ...published,
    });
  });

  it("takes its annotations from its flags where none were published", () => {
    const destructive = { readOnly: false, concurrencySafe: false, destructive: true };
    expect(toMcpTool(testTool({ name: "wipe", flags: destructive })).annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
    });
    const reading = { readOnly: true, concurrencySafe: true, destructive: false };
    expect(toMcpTool(testTool({ name: "see", flags: reading })).annotations).toEqual({ readOnlyHint: true });
  });

  it.each([{ annotations: { readOnlyHint: "yes" } }, { icons: "none" }, { _meta: 7 }])(
    "loses what a client would refuse the whole list for: %j",
    (published) => {
      expect(toMcpTool(testTool({ name: "odd", published }))).toEqual({
        name: "odd",
        description: "The tool odd.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: false, destructiveHint: false },
      });
    },
  );

  it("always takes an object", () => {
    const schema = toMcpTool(testTool({ name: "loose", inputSchema: { properties: { a: {} } } })).inputSchema;
    expect(schema).toEqual({ type: "object", properties: { a: {} } });
  });

  it.each([
    { inputSchema: { type: "object", properties: [] } },
    { inputSchema: { type: "object", properties: { a: "x" } } },
    { inputSchema: { type: "object", required: "a" } },
    { inputSchema: { type: "object", required: [1] } },
    { inputSchema: { type: "object", properties: { a: true, b: false } } },
    { outputSchema: { type: "array" } },
    { published: { icons: [{}] } },
    { published: { icons: [{ src: "x", theme: "blue" }] } },
    { published: { icons: [{ src: "x", sizes: "48x48" }] } },
    { published: { _meta: [] } },
    { published: { annotations: { title: 4 } } },
    { title: 4 as unknown as string },
  ])("is one that the SDK takes, whatever was published: %j", (part) => {
    expect(isSpecType.Tool(toMcpTool(testTool({ name: "odd", ...part })))).toBe(true);
  });

  it("writes schemas that are true or false as objects that mean the same", () => {
    const inputSchema = { type: "object", properties: { any: true, none: false } };
    expect(toMcpTool(testTool({ name: "loose", inputSchema })).inputSchema.properties).toEqual({
      any: {},
      none: { not: {} },
    });
  });
});
