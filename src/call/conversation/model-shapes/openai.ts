import type { JsonSchema } from "../../../contract/tool.ts";
import { parseExact } from "../../../lib/exact-json.ts";
import { isRecord } from "../../../lib/json.ts";
import type { BatchOptions } from "../../executor/batch.ts";
import type { Turn, TurnCall } from "../turn.ts";

/** A tool as the OpenAI Chat Completions API and compatible APIs expect it. */
export interface ChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

/** A tool as the OpenAI Responses API expects it. */
export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Strict schemas support only a part of JSON Schema, and servers use all of it. */
  readonly strict: false;
}

export interface ChatToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

export interface FunctionCallOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
}

/** The tools of a turn as `tools` of a chat completion. */
export function openaiChatTools(turn: Turn): readonly ChatTool[] {
  return turn.tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: turn.descriptionOf(tool),
      parameters: { ...tool.inputSchema, type: "object" },
    },
  }));
}

/** Makes the calls of an answer's `tool_calls`; the results are the next messages. */
export async function runOpenaiChatCalls(
  turn: Turn,
  toolCalls: readonly unknown[],
  options: BatchOptions = {},
): Promise<readonly ChatToolMessage[]> {
  const requests = toolCalls.flatMap((call) => {
    if (!isRecord(call) || typeof call.id !== "string" || !isRecord(call.function)) return [];
    return [{ id: call.id, call: toCall(call.function) }];
  });
  const outcomes = await turn.callAll(
    requests.map(({ call }) => call),
    options,
  );
  return requests.map(({ id }, index) => ({
    role: "tool",
    tool_call_id: id,
    content: outcomes[index]?.text ?? "",
  }));
}

/** The tools of a turn as `tools` of a request to the Responses API. */
export function openaiResponsesTools(turn: Turn): readonly ResponsesTool[] {
  return turn.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: turn.descriptionOf(tool),
    parameters: { ...tool.inputSchema, type: "object" },
    strict: false,
  }));
}

/** Makes the calls in the `output` of a response; the results go into the next `input`. */
export async function runOpenaiResponsesCalls(
  turn: Turn,
  output: readonly unknown[],
  options: BatchOptions = {},
): Promise<readonly FunctionCallOutput[]> {
  const requests = output.flatMap((item) => {
    if (!isRecord(item) || item.type !== "function_call" || typeof item.call_id !== "string") return [];
    return [{ id: item.call_id, call: toCall(item) }];
  });
  const outcomes = await turn.callAll(
    requests.map(({ call }) => call),
    options,
  );
  return requests.map(({ id }, index) => ({
    type: "function_call_output",
    call_id: id,
    output: outcomes[index]?.text ?? "",
  }));
}

function toCall({ name, arguments: text }: Record<string, unknown>): TurnCall {
  return { name: String(name), arguments: parseArguments(text) };
}

/** Arguments that are not valid JSON are passed on as text; the call's error then says what was expected. */
function parseArguments(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return text.trim() === "" ? {} : parseExact(text);
  } catch {
    return text;
  }
}
