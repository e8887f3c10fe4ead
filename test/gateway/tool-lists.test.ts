import { describe, expect, it } from "vitest";
import { toMcpTool } from "../../src/gateway/tool-lists.ts";
import { testTool } from "../support/tools.ts";

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
});
