import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../../../src/call/conversation/model-shapes/ai-sdk.ts";
import { anthropicTools, runAnthropicCalls } from "../../../src/call/conversation/model-shapes/anthropic.ts";
import {
  openaiChatTools,
  openaiResponsesTools,
  runOpenaiChatCalls,
  runOpenaiResponsesCalls,
} from "../../../src/call/conversation/model-shapes/openai.ts";
import { type CallMaker, Turn } from "../../../src/call/conversation/turn.ts";
import { MAX_BATCH_CALLS } from "../../../src/call/executor/batch.ts";
import type { ToolOutcome } from "../../../src/contract/tool.ts";
import { EVERYTHING, testHub } from "../../support/test-hub.ts";
import { testTool } from "../../support/tools.ts";

const ok = (text: string): ToolOutcome => ({
  callId: "call_1",
  outcome: "ok",
  content: [{ type: "text", text }],
  text,
  durationMs: 0,
  truncated: false,
});

const BEGINNING = { maxDescription: 200, deferred: [], retired: [], promptSection: "", revision: 1 };

function callOneByOne(callTool: CallMaker["callTool"]): CallMaker {
  return { callTool, callBatch: (calls) => Promise.all(calls.map(callTool)) };
}

describe("a session", () => {
  it("gives a turn the tools of its agent, and makes its calls as that agent", async () => {
    await using test = await testHub({
      servers: { everything: EVERYTHING },
      toolboxes: { talk: ["mcp_everything_echo"] },
      agents: { ann: ["talk"] },
    });
    await test.hub.upstream.test("everything");
    const session = test.hub.session({ agent: "ann", conversation: "chat" });
    const turn = await session.turn();
    expect(turn.tools.map(({ name }) => name)).toContain("mcp_everything_echo");
    expect((await turn.call({ name: "mcp_everything_echo", arguments: { message: "x" } })).text).toBe(
      "Echo: x",
    );
    expect((await turn.call({ name: "mcp_everything_get_env", arguments: {} })).outcome).toBe("not_granted");
    await test.hub.identity.updateAgent("ann", { toolboxes: [] });
    expect((await session.turn()).tools.map(({ name }) => name)).not.toContain("mcp_everything_echo");
  });

  it("can be narrowed to a toolbox", async () => {
    await using test = await testHub({
      toolboxes: { files: ["read_file"], more: ["list_directory"] },
      agents: { ann: ["files", "more"] },
    });
    const turn = await test.hub.session({ agent: "ann", narrowing: { toolbox: "files" } }).turn();
    expect(turn.tools.map(({ name }) => name)).toEqual(["read_file"]);
  });

  it("of an agent that does not exist says so", async () => {
    await using test = await testHub({ agents: { researcher: [] } });
    expect(() => test.hub.session({ agent: "reseacher" })).toThrow(/did you mean researcher/);
  });
});

describe("the calls of one step", () => {
  it("run as a batch of the agent, and are answered in order", async () => {
    await using test = await testHub({ agents: { ann: [] } });
    const turn = await test.hub.session({ agent: "ann" }).turn();
    const outcomes = await turn.callAll([
      { name: "write_file", arguments: { path: "a.txt", content: "one" } },
      { name: "read_file", arguments: { path: "a.txt" } },
      { name: "no_such_tool", arguments: {} },
      { name: "write_file", arguments: { path: "a.txt", content: "two" } },
      { name: "read_file", arguments: { path: "a.txt" } },
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "unknown_tool", "ok", "ok"]);
    expect(outcomes[1]!.text).toContain("one");
    expect(outcomes[4]!.text).toContain("two");
  });

  it("may be more than one batch takes", async () => {
    await using test = await testHub({ agents: { ann: [] } });
    const turn = await test.hub.session({ agent: "ann" }).turn();
    const thoughts = Array.from({ length: MAX_BATCH_CALLS + 1 }, (_, index) => ({
      name: "think",
      arguments: { thought: `${index}` },
    }));
    const outcomes = await turn.callAll(thoughts);
    expect(outcomes.filter(({ outcome }) => outcome === "ok")).toHaveLength(thoughts.length);
  });

  it("end with the signal of the step", async () => {
    await using test = await testHub({ agents: { ann: [] } });
    const turn = await test.hub.session({ agent: "ann" }).turn();
    const content = [{ type: "tool_use", id: "a", name: "think", input: { thought: "x" } }];
    const [result] = await runAnthropicCalls(turn, content, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({
      is_error: true,
      content: [{ text: expect.stringContaining("cancelled") }],
    });
  });
});

describe("a turn in the shape of", () => {
  const tool = testTool({
    name: "look",
    description: "Looks.",
    inputSchema: { properties: { at: { type: "string" } } },
  });
  const schema = { type: "object", properties: { at: { type: "string" } } };
  const turn = new Turn(
    { ...BEGINNING, tools: [tool] },
    callOneByOne(async ({ name, arguments: args }) =>
      name === "look"
        ? ok(`saw ${JSON.stringify(args)}`)
        : { ...ok("no such tool"), outcome: "unknown_tool" },
    ),
  );

  it("the Messages API of Anthropic", async () => {
    expect(anthropicTools(turn)).toEqual([{ name: "look", description: "Looks.", input_schema: schema }]);
    const results = await runAnthropicCalls(turn, [
      { type: "text", text: "Let me see." },
      { type: "tool_use", id: "a", name: "look", input: { at: "x" } },
      { type: "tool_use", id: "b", name: "peek", input: {} },
    ]);
    expect(results).toEqual([
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: 'saw {"at":"x"}' }] },
      {
        type: "tool_result",
        tool_use_id: "b",
        content: [{ type: "text", text: "no such tool" }],
        is_error: true,
      },
    ]);
  });

  it("the Messages API of Anthropic, images included", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const seeing = new Turn(
      { ...BEGINNING, tools: [tool] },
      callOneByOne(async () => ({ ...ok(""), content: [image, { type: "audio", data: "x" }] })),
    );
    const [result] = await runAnthropicCalls(seeing, [
      { type: "tool_use", id: "a", name: "look", input: {} },
    ]);
    expect(result?.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "text", text: '{"type":"audio","data":"x"}' },
    ]);
  });

  it("the Chat Completions API of OpenAI", async () => {
    expect(openaiChatTools(turn)).toEqual([
      { type: "function", function: { name: "look", description: "Looks.", parameters: schema } },
    ]);
    expect(
      await runOpenaiChatCalls(turn, [
        { id: "a", type: "function", function: { name: "look", arguments: '{"at":"x"}' } },
        { id: "b", type: "function", function: { name: "look", arguments: "{broken" } },
      ]),
    ).toEqual([
      { role: "tool", tool_call_id: "a", content: 'saw {"at":"x"}' },
      { role: "tool", tool_call_id: "b", content: 'saw "{broken"' },
    ]);
  });

  it("the Responses API of OpenAI", async () => {
    expect(openaiResponsesTools(turn)).toEqual([
      { type: "function", name: "look", description: "Looks.", parameters: schema, strict: false },
    ]);
    expect(
      await runOpenaiResponsesCalls(turn, [
        { type: "reasoning", summary: [] },
        { type: "function_call", call_id: "a", name: "look", arguments: "" },
      ]),
    ).toEqual([{ type: "function_call_output", call_id: "a", output: "saw {}" }]);
  });

  it("the AI SDK", async () => {
    const tools = aiSdkTools(turn, (jsonSchema) => ({ jsonSchema }));
    expect(tools.look?.inputSchema).toEqual({ jsonSchema: schema });
    const output = await tools.look!.execute({ at: "x" });
    expect(tools.look!.toModelOutput({ output })).toEqual({
      type: "content",
      value: [{ type: "text", text: 'saw {"at":"x"}' }],
    });
    expect(tools.look!.toModelOutput({ ...output, outcome: "failed" })).toMatchObject({ type: "error-text" });
  });
});
