// The four interfaces that clients speak to their models, as far as one tool call needs them. `read` takes the offered tools
// and the results of calls out of a request; `say` writes a text or a call, as one answer or as a stream.
import { randomUUID } from "node:crypto";

const JSON_TYPE = "application/json";
const SSE_TYPE = "text/event-stream";

const SHAPES = [
  { path: /\/messages$/, read: readMessages, say: sayMessages },
  { path: /\/messages\/count_tokens$/, read: nothing, say: () => plain({ input_tokens: 1 }) },
  { path: /\/chat\/completions$/, read: readCompletions, say: sayCompletions },
  { path: /\/responses$/, read: readResponses, say: sayResponses },
  { path: /:(?:stream)?[gG]enerateContent$/, read: readContents, say: sayContents },
  { path: /:countTokens$/, read: nothing, say: () => plain({ totalTokens: 1 }) },
];

export function shapeOf(path) {
  return SHAPES.find((shape) => shape.path.test(path));
}

/** Anthropic: Messages. */
function readMessages({ tools = [], messages = [] }) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    offered: tools.map(({ name, description }) => ({ name, description })),
    results: blocks.filter(({ type }) => type === "tool_result").map(textOf),
  };
}

function sayMessages({ text, call }, { body }) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop_reason = call ? "tool_use" : "end_turn";
  const block = call
    ? { type: "tool_use", id: newId("call"), name: call.name, input: call.args }
    : { type: "text", text };
  const message = { id: newId("msg"), type: "message", role: "assistant", model: body.model, usage };
  if (!body.stream) return plain({ ...message, content: [block], stop_reason, stop_sequence: null });
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
    : { type: "text_delta", text };
  return events([
    { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    {
      type: "content_block_start",
      index: 0,
      content_block: call ? { ...block, input: {} } : { type: "text", text: "" },
    },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

/** OpenAI: Chat Completions. */
function readCompletions({ tools = [], messages = [] }) {
  return {
    offered: tools.map((tool) => ({ name: tool.function.name, description: tool.function.description })),
    results: messages.filter(({ role }) => role === "tool").map(textOf),
  };
}

function sayCompletions({ text, call }, { body }) {
  const calls = call && [
    {
      index: 0,
      id: newId("call"),
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    },
  ];
  const message = { role: "assistant", content: text ?? null, ...(calls && { tool_calls: calls }) };
  const finish_reason = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const envelope = { id: newId("chat"), created: 1, model: body.model };
  if (!body.stream)
    return plain({
      ...envelope,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  const chunk = { ...envelope, object: "chat.completion.chunk" };
  return events(
    [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
    ],
    "data: [DONE]\n\n",
  );
}

/** OpenAI: Responses. A tool may stand in a namespace, which then belongs to the call. */
function readResponses({ tools = [], input = [] }) {
  const items = Array.isArray(input) ? input : [];
  return {
    offered: tools.flatMap((tool) =>
      tool.type === "namespace"
        ? tool.tools.map(({ name, description }) => ({ name, description, namespace: tool.name }))
        : [{ name: tool.name ?? tool.type, description: tool.description }],
    ),
    results: items.filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output)),
  };
}

function sayResponses({ text, call }, { body }) {
  const item = call
    ? {
        type: "function_call",
        id: newId("fc"),
        call_id: newId("call"),
        name: call.name,
        ...(call.namespace && { namespace: call.namespace }),
        arguments: JSON.stringify(call.args),
        status: "completed",
      }
    : {
        type: "message",
        id: newId("msg"),
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const response = { id: newId("resp"), object: "response", created_at: 1, model: body.model };
  const done = { ...response, status: "completed", output: [item], usage };
  if (!body.stream) return plain(done);
  return events([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: done },
  ]);
}

/** Google: generateContent and streamGenerateContent. */
function readContents({ tools = [], contents = [] }) {
  const parts = contents.flatMap((content) => content.parts ?? []);
  return {
    offered: tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, description }) => ({ name, description })),
    ),
    results: parts.filter((part) => part.functionResponse).map((part) => textOf(part.functionResponse)),
  };
}

function sayContents({ text, call }, { path }) {
  const part = call ? { functionCall: { id: newId("call"), name: call.name, args: call.args } } : { text };
  const reply = {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
  return path.endsWith("streamGenerateContent") ? events([reply]) : plain(reply);
}

function nothing() {
  return { offered: [], results: [] };
}

function plain(value) {
  return { type: JSON_TYPE, text: JSON.stringify(value) };
}

function events(values, end = "") {
  const lines = values.map(
    (value) => `${value.type ? `event: ${value.type}\n` : ""}data: ${JSON.stringify(value)}\n\n`,
  );
  return { type: SSE_TYPE, text: lines.join("") + end };
}

/** Some clients take two messages of one id for the same message. */
function newId(kind) {
  return `${kind}_${randomUUID().replaceAll("-", "")}`;
}

function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
