import { describe, expect, it } from "vitest";
import type { ListedTool } from "../../../src/call/catalog/tool-interface.ts";
import { type JsonSchema, OUTCOMES, type ToolOutcome, text } from "../../../src/contract/tool.ts";
import { toCallResult } from "../../../src/surfaces/gateway/methods.ts";

const ok: ToolOutcome = {
  callId: "call_1",
  outcome: "ok",
  tool: "t",
  content: [text("done")],
  text: "done",
  durationMs: 1,
  truncated: false,
};

describe("an outcome as an MCP result", () => {
  it("names the outcome and the call", () => {
    expect(toCallResult({ ...ok, meta: { "example.org/x": 1 } }, undefined, "modern")).toEqual({
      content: [{ type: "text", text: "done" }],
      _meta: { "example.org/x": 1, "toolkeep/outcome": "ok", "toolkeep/call_id": "call_1" },
    });
  });

  it.each(OUTCOMES.filter((outcome) => outcome !== "ok"))("is an error when it is %s", (outcome) => {
    expect(toCallResult({ ...ok, outcome }, undefined, "modern").isError).toBe(true);
  });

  it("always has content", () => {
    const result = toCallResult(
      { ...ok, outcome: "failed", content: [], text: "it broke" },
      undefined,
      "modern",
    );
    expect(result.content).toEqual([{ type: "text", text: "it broke" }]);
  });

  it("shows content of a kind that MCP does not know as text", () => {
    const result = toCallResult({ ...ok, content: [{ type: "hologram", beams: 3 }] }, undefined, "modern");
    expect(result.content).toEqual([{ type: "text", text: '{"type":"hologram","beams":3}' }]);
  });

  it("is an error where structured content was promised and is missing", () => {
    const tool = listed({ type: "object" });
    expect(toCallResult(ok, tool, "modern").isError).toBe(true);
    expect(toCallResult({ ...ok, structured: { a: 1 } }, tool, "modern").isError).toBeUndefined();
  });

  it.each([[{ type: "array" }], [{ properties: { a: {} } }], [{ type: "object", properties: { a: true } }]])(
    "is none for want of what %j promises, which is not listed",
    (outputSchema) => {
      for (const era of ["legacy", "modern"] as const)
        expect(toCallResult(ok, listed(outputSchema), era).isError).toBeUndefined();
    },
  );

  it.each([[[1, 2]], ["text"], [0], [false], [null]])(
    "has %j as structured content in the modern era only",
    (value) => {
      const outcome = { ...ok, structuredValue: value };
      expect(toCallResult(outcome, listed({ type: "array" }), "modern").structuredContent).toEqual(value);
      expect(toCallResult(outcome, listed({ type: "array" }), "legacy")).not.toHaveProperty(
        "structuredContent",
      );
    },
  );
});

function listed(outputSchema: JsonSchema): ListedTool {
  const flags = { readOnly: false, concurrencySafe: false, destructive: false };
  return { name: "t", description: "", inputSchema: { type: "object" }, outputSchema, flags };
}
