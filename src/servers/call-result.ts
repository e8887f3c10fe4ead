import { type Content, type ToolResult, text } from "../contract/tool.ts";
import { isRecord } from "../lib/json.ts";

/**
 * What a server answered to `tools/call`, as a result. Content, structured content and `_meta` are kept as they
 * came, also where they do not match the tool's own output schema: the caller decides what to make of them.
 */
export function callResult(answer: Readonly<Record<string, unknown>>): ToolResult {
  const { structuredContent } = answer;
  const kept = {
    ...(isRecord(structuredContent) ? { structured: structuredContent } : {}),
    ...(isValue(structuredContent) ? { structuredValue: structuredContent } : {}),
    ...(isRecord(answer._meta) ? { meta: answer._meta } : {}),
  };
  const content = contentOf(answer);
  return answer.isError === true
    ? { kind: "failed", message: errorText(content), content, ...kept }
    : { kind: "output", content, ...kept };
}

function contentOf(answer: Readonly<Record<string, unknown>>): Content[] {
  const blocks = Array.isArray(answer.content) ? answer.content.filter(isContent) : [];
  const { structuredContent, toolResult } = answer;
  // Not every client takes a structured result that is no object, and no model reads one: it is there as text too.
  if (isValue(structuredContent) && !blocks.some(({ type }) => type === "text"))
    return [...blocks, textFor(structuredContent)];
  // Servers of 2024 answered with a bare `toolResult`.
  return blocks.length > 0 || toolResult === undefined ? blocks : [textFor(toolResult)];
}

function textFor(value: unknown): Content {
  return text(typeof value === "string" ? value : JSON.stringify(value));
}

/** Servers from 2026-07-28 on may structure any JSON value. */
function isValue(structuredContent: unknown): boolean {
  return structuredContent !== undefined && !isRecord(structuredContent);
}

function isContent(block: unknown): block is Content {
  return isRecord(block) && typeof block.type === "string";
}

function errorText(content: readonly Content[]): string {
  const lines = content.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));
  return lines.join("\n").trim() || "the tool reported an error and said nothing about it";
}
