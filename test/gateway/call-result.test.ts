import { describe, expect, it } from "vitest";
import { toCallResult } from "../../src/gateway/call-result.ts";
import { OUTCOMES, type ToolOutcome, text } from "../../src/tool.ts";

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
    expect(toCallResult({ ...ok, meta: { "example.org/x": 1 } }, undefined)).toEqual({
      content: [{ type: "text", text: "done" }],
      _meta: { "example.org/x": 1, "toolkeep/outcome": "ok", "toolkeep/call_id": "call_1" },
    });
  });

  it.each(OUTCOMES.filter((outcome) => outcome !== "ok"))("is an error when it is %s", (outcome) => {
    expect(toCallResult({ ...ok, outcome }, undefined).isError).toBe(true);
  });

  it("always has content", () => {
    const result = toCallResult({ ...ok, outcome: "failed", content: [], text: "it broke" }, undefined);
    expect(result.content).toEqual([{ type: "text", text: "it broke" }]);
  });

  it("shows content of a kind that MCP does not know as text", () => {
    const result = toCallResult({ ...ok, content: [{ type: "hologram", beams: 3 }] }, undefined);
    expect(result.content).toEqual([{ type: "text", text: '{"type":"hologram","beams":3}' }]);
  });

  it("is an error where structured content was promised and is missing", () => {
    const listed = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "object" } } as const;
    expect(toCallResult(ok, listed).isError).toBe(true);
    expect(toCallResult({ ...ok, structured: { a: 1 } }, listed).isError).toBeUndefined();
  });
});
