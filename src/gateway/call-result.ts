import {
  type CallToolResult,
  type ContentBlock,
  isSpecType,
  type Tool as McpTool,
} from "@modelcontextprotocol/server";
import { type Content, type ToolOutcome, text } from "../tool.ts";

/**
 * The outcome of a call as MCP puts it. Everything but `ok` is a result with `isError`, never a protocol error:
 * a result is what reaches the model, which can then act on it.
 */
export function toCallResult(outcome: ToolOutcome, listed: McpTool | undefined): CallToolResult {
  // Strict clients refuse a success without the structured content that the tool's output schema promises, as
  // when it was too large to send; as an error they show the model what there is.
  const incomplete = listed?.outputSchema !== undefined && outcome.structured === undefined;
  const content = outcome.content.length > 0 ? outcome.content : [text(outcome.text)];
  return {
    content: content.map(toContentBlock),
    ...(outcome.structured && { structuredContent: outcome.structured }),
    ...((outcome.outcome !== "ok" || incomplete) && { isError: true }),
    _meta: { ...outcome.meta, "toolkeep/outcome": outcome.outcome, "toolkeep/call_id": outcome.callId },
  };
}

/** A block of a kind that MCP does not know is shown as text: clients refuse the whole result otherwise. */
function toContentBlock(content: Content): ContentBlock {
  return isSpecType.ContentBlock(content) ? content : { type: "text", text: JSON.stringify(content) };
}
