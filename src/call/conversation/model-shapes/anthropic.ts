import type { Content, JsonSchema, ToolOutcome } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import type { BatchOptions } from "../../executor/batch.ts";
import type { Turn } from "../turn.ts";

/** A tool as the Anthropic Messages API expects it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema & { readonly type: "object" };
}

/** The answer to a `tool_use` block, for the next user message. */
export interface AnthropicToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: readonly AnthropicContent[];
  readonly is_error?: true;
}

export type AnthropicContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
    };

const IMAGE_TYPES: readonly unknown[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The tools of a turn as `tools` of a Messages request. */
export function anthropicTools(turn: Turn): readonly AnthropicTool[] {
  return turn.tools.map((tool) => ({
    name: tool.name,
    description: turn.descriptionOf(tool),
    input_schema: { ...tool.inputSchema, type: "object" },
  }));
}

/** Makes the calls in the content of an answer; the results are the content of the next user message. */
export async function runAnthropicCalls(
  turn: Turn,
  content: readonly unknown[],
  options: BatchOptions = {},
): Promise<readonly AnthropicToolResult[]> {
  const toolUses = content.filter(isToolUse);
  const calls = toolUses.map(({ name, input }) => ({ name, arguments: input }));
  const outcomes = await turn.callAll(calls, options);
  return toolUses.map(({ id }, index) => toResult(id, outcomes[index]!));
}

interface ToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function isToolUse(block: unknown): block is ToolUse {
  return (
    isRecord(block) &&
    block.type === "tool_use" &&
    typeof block.id === "string" &&
    typeof block.name === "string"
  );
}

function toResult(tool_use_id: string, outcome: ToolOutcome): AnthropicToolResult {
  const content = outcome.content.map(toContent);
  return {
    type: "tool_result",
    tool_use_id,
    // The API rejects an empty text.
    content: content.length > 0 ? content : [{ type: "text", text: outcome.text || "(no output)" }],
    ...(outcome.outcome !== "ok" && { is_error: true }),
  };
}

function toContent(block: Content): AnthropicContent {
  if (block.type === "image" && typeof block.data === "string" && IMAGE_TYPES.includes(block.mimeType)) {
    return {
      type: "image",
      source: { type: "base64", media_type: block.mimeType as string, data: block.data },
    };
  }
  const text = typeof block.text === "string" ? block.text : JSON.stringify(block);
  return { type: "text", text: text || "(empty)" };
}
