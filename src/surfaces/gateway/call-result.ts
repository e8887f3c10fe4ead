import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { ShownTool } from "../../call/catalog/tool-interface.ts";
import { type Content, type ToolOutcome, text } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { toMcpTool } from "./mcp-tool.ts";

/**
 * The outcome of a call as MCP puts it. Everything but `ok` is a result with `isError`, never a protocol error:
 * a result is what reaches the model, which can then act on it.
 */
export function toCallResult(
  outcome: ToolOutcome,
  tool: ShownTool | undefined,
  era: "legacy" | "modern",
): CallToolResult {
  const structured = outcome.structured ?? (era === "modern" ? outcome.structuredValue : undefined);
  const incomplete = structured === undefined && tool !== undefined && promisesStructure(tool);
  const content = outcome.content.length > 0 ? outcome.content : [text(outcome.text)];
  return {
    content: content.map(toContentBlock),
    ...(structured !== undefined && { structuredContent: structured }),
    ...((outcome.outcome !== "ok" || incomplete) && { isError: true }),
    _meta: { ...outcome.meta, "toolkeep/outcome": outcome.outcome, "toolkeep/call_id": outcome.callId },
  };
}

/**
 * Strict clients refuse a success without the structured content that the listed output schema promises, as when it
 * was too large to send; as an error they show the model what there is. A schema that is not listed promises nothing.
 */
function promisesStructure(tool: ShownTool): boolean {
  return tool.outputSchema !== undefined && toMcpTool(tool).outputSchema !== undefined;
}

/** A block of a kind that MCP does not know is shown as text: clients refuse the whole result otherwise. */
function toContentBlock(content: Content): ContentBlock {
  const isKnown = Object.hasOwn(SHAPES, content.type) && SHAPES[content.type]?.(content);
  return isKnown ? (content as ContentBlock) : { type: "text", text: JSON.stringify(content) };
}

const areTexts = (content: Content, ...keys: string[]) =>
  keys.every((key) => typeof content[key] === "string");

/** What a client checks of each kind, by hand: with the SDK's schemas it would be most of the cost of a call. */
const SHAPES: Readonly<Record<string, (content: Content) => boolean>> = {
  text: (content) => areTexts(content, "text"),
  image: (content) => areTexts(content, "data", "mimeType"),
  audio: (content) => areTexts(content, "data", "mimeType"),
  resource_link: (content) => areTexts(content, "uri", "name"),
  resource: ({ resource }) =>
    isRecord(resource) &&
    typeof resource.uri === "string" &&
    (typeof resource.text === "string" || typeof resource.blob === "string"),
};
