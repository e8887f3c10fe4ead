import { isRecord } from "../lib/json.ts";
import { type Content, type ToolResult, text } from "../tool.ts";

/**
 * What a server answered to `tools/call`, as a result. Content, structured content and `_meta` are kept as they
 * came, also where they do not match the tool's own output schema: the caller decides what to make of them.
 */
export function callResult(answer: Readonly<Record<string, unknown>>): ToolResult {
  const structured = isRecord(answer.structuredContent) ? answer.structuredContent : undefined;
  const kept = {
    ...(structured ? { structured } : {}),
    ...(isRecord(answer._meta) ? { meta: answer._meta } : {}),
  };
  const content = contentOf(answer);
  return answer.isError === true
    ? { kind: "failed", message: errorText(content), content, ...kept }
    : { kind: "output", content, ...kept };
}

function contentOf(answer: Readonly<Record<string, unknown>>): Content[] {
  const blocks = Array.isArray(answer.content) ? answer.content.filter(isContent) : [];
  if (blocks.length > 0) return blocks;
  // Servers of 2024 answered with a bare `toolResult`; newer ones may structure any JSON value.
  const bare =
    answer.toolResult ?? (isRecord(answer.structuredContent) ? undefined : answer.structuredContent);
  return bare === undefined ? [] : [text(typeof bare === "string" ? bare : JSON.stringify(bare))];
}

function isContent(block: unknown): block is Content {
  return isRecord(block) && typeof block.type === "string";
}

function errorText(content: readonly Content[]): string {
  const lines = content.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));
  return lines.join("\n").trim() || "the tool reported an error and said nothing about it";
}
