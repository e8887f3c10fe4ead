import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ShownTool } from "../../call/catalog/tool-interface.ts";
import { type CallMeta, type Content, type ToolOutcome, text } from "../../contract/tool.ts";
import { extentOf, isRecord } from "../../lib/json.ts";
import { toMcpTool } from "./mcp-tool.ts";
import type { Params } from "./messages.ts";

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

const MAX_KEYS = 64;
/** Of keys and texts, each value beside counted as some; what goes beyond is left out, key by key. */
const MAX_CHARS = 16_384;
const CHARS_A_VALUE = 8;
const MAX_DEPTH = 20;

/** About one connection, or said to Toolkeep. */
const OWN = ["progressToken", "__proto__"];
const OWN_PREFIXES = ["toolkeep/", "io.modelcontextprotocol/"];

/** What of a request's `_meta` its server should get; undefined where that is nothing. */
export function passedOn({ _meta }: Params): CallMeta | undefined {
  if (!isRecord(_meta)) return undefined;
  let passed: Record<string, unknown> | undefined;
  let keys = 0;
  let chars = 0;
  for (const key in _meta) {
    if (isOwn(key)) continue;
    if (++keys > MAX_KEYS) break;
    const extent = extentOf(_meta[key], MAX_DEPTH);
    const length = key.length + extent.chars + extent.size * CHARS_A_VALUE;
    if (extent.tooDeep || chars + length > MAX_CHARS) continue;
    chars += length;
    passed ??= {};
    passed[key] = _meta[key];
  }
  return passed;
}

function isOwn(key: string): boolean {
  return OWN.includes(key) || OWN_PREFIXES.some((prefix) => key.startsWith(prefix));
}
