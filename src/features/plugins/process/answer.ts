import { type Content, type ToolResult, text } from "../../../contract/tool.ts";
import { isRecord, measureJson } from "../../../lib/json.ts";
import type { CallEnd } from "./plugin-process.ts";

/** Turns the end of a call into a result. */
export function toResult(end: CallEnd, plugin: string): ToolResult {
  switch (end.kind) {
    case "value":
      return toToolResult(end.value);
    case "threw":
      return { kind: "failed", message: end.message };
    case "cancelled":
      return { kind: "failed", message: "The call was cancelled." };
    case "refused":
      return { kind: "unavailable", message: `plugin ${plugin}: ${end.message}; try again in a moment` };
    case "gone":
      return {
        kind: "unavailable",
        message: `plugin ${plugin} did not answer: ${end.message}. It restarts with the next call. For the reason, a person can run toolkeep plugin show ${plugin}.`,
      };
  }
}

const MAX_DEPTH = 100;

/** Accepts text, MCP content, or any JSON value. */
function toToolResult(value: unknown): ToolResult {
  if (measureJson(value, MAX_DEPTH).tooDeep)
    return { kind: "failed", message: `the answer is nested more than ${MAX_DEPTH} levels deep` };
  if (typeof value === "string") return { kind: "output", content: [text(value)] };
  if (value === null) return { kind: "output", content: [text("(no output)")] };
  if (!isRecord(value)) return { kind: "output", content: [text(JSON.stringify(value, null, 2))] };
  if (!Array.isArray(value.content) || !value.content.every(isContent))
    return { kind: "output", content: [text(JSON.stringify(value, null, 2))], structured: value };
  const structured = isRecord(value.structured) ? { structured: value.structured } : {};
  const { content } = value as { content: Content[] };
  return value.isError === true
    ? { kind: "failed", message: findMessage(content), content, ...structured }
    : { kind: "output", content, ...structured };
}

function isContent(block: unknown): block is Content {
  return isRecord(block) && typeof block.type === "string";
}

function findMessage(content: readonly Content[]): string {
  const lines = content.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));
  return lines.join("\n").trim() || "the tool reported an error without a message";
}
