import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answering, Progress, Rounds, ToolContext } from "../../../src/contract/tool.ts";
import { inDeep } from "../../support/length.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { testCaller } from "../../support/tools.ts";
import { said, type TestUpstream, testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const FOLLOWS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const ADA = { action: "accept", content: { name: "Ada" } };

describe("a caller that knows nothing of tasks", () => {
  test.each(["legacy", "modern"])("calls a tool of a %s server that runs as a task only", async (era) => {
    await using up = await open(era);
    expect(said(await up.call("mcp_jobs_slow", { n: 7 }))).toBe("slow 7");
  });

  test.each(["legacy", "modern"])("has the task of a %s server cancelled with its call", async (era) => {
    await using up = await open(era);
    const stop = new AbortController();
    const call = up.call("mcp_jobs_never", {}, { signal: stop.signal });
    const told = () => readFile(up.file, "utf8").catch(() => "");
    await waitUntil("the task has begun", async () => (await told()) === "begun\n");
    // Its id must have come back.
    await up.call("mcp_jobs_slow");
    stop.abort();
    expect(await call).toMatchObject({ kind: "failed" });
    await waitUntil("the server was told", async () => (await told()) === "begun\ntask 0\n");
  });

  test("gets what became of the task, and hears how it goes", async () => {
    await using up = await open("modern");
    const heard: Progress[] = [];
    await up.call("mcp_jobs_slow", {}, { onProgress: (update) => heard.push(update) });
    expect(heard).toEqual([{ progress: 2, message: "look 1" }]);
    expect(await up.call("mcp_jobs_fails")).toEqual({
      kind: "failed",
      message: "the server refused the call: out of cheese",
    });
    expect(await up.call("mcp_jobs_errs")).toMatchObject({ kind: "failed", message: "no such city" });
  });

  test("is not made to wait for a task where the server can do without", async () => {
    await using up = await open("modern");
    expect(said(await up.call("mcp_jobs_either"))).toBe("at once");
  });

  test("is asked what the task asks, while it waits", async () => {
    await using up = await open("modern");
    const asked: unknown[] = [];
    const answering: Answering = {
      capabilities: { elicitation: {} },
      answer: async ({ params }) => {
        asked.push(params.message);
        return ADA;
      },
    };
    expect(said(await up.call("mcp_jobs_asks", {}, { answering }))).toBe("Hello Ada");
    expect(asked).toEqual(["Who?"]);
  });

  inDeep("is asked what the task asks by the answer to its call", async () => {
    await using up = await open("modern");
    const tool = up.tool("mcp_jobs_asks");
    const capabilities = { elicitation: {} };
    const first = await tool.run({}, context({ capabilities }));
    expect(first).toMatchObject({
      kind: "asks",
      asked: { inquiries: { who: { params: { message: "Who?" } } } },
    });
    const state = first.kind === "asks" ? first.asked.state : undefined;
    const rounds = { capabilities, answers: { who: ADA }, ...(state === undefined ? {} : { state }) };
    expect(said(await tool.run({}, context(rounds)))).toBe("Hello Ada");
  });

  test("that cannot be asked is told so, and the task is cancelled", async () => {
    await using up = await open("modern");
    expect(await up.call("mcp_jobs_asks")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("cannot be asked"),
    });
    expect(await readFile(up.file, "utf8")).toBe("task 0\n");
  });
});

describe("a caller that follows tasks", () => {
  test("is given the task, and asks how it is, answers it and cancels it", async () => {
    await using up = await open("modern");
    const tool = up.tool("mcp_jobs_asks");
    const follows = context({ capabilities: FOLLOWS });
    const begun = await tool.run({}, follows);
    expect(begun).toMatchObject({ kind: "task", task: { id: "task 0", state: { status: "working" } } });

    const get = { id: "task 0", action: "get" } as const;
    expect(await tool.followTask?.(get, follows)).toMatchObject({
      kind: "output",
      structured: { status: "input_required", inputRequests: { who: {} } },
    });
    const answers = { who: ADA };
    expect(await tool.followTask?.({ id: "task 0", action: "update", answers }, follows)).toMatchObject({
      kind: "output",
    });
    expect(await tool.followTask?.(get, follows)).toMatchObject({
      structured: { status: "completed", result: { content: [{ text: "Hello Ada" }] } },
    });
    await tool.followTask?.({ id: "task 0", action: "cancel" }, follows);
    expect(await readFile(up.file, "utf8")).toBe("task 0\n");
    expect(await tool.followTask?.({ id: "task 9", action: "get" }, follows)).toMatchObject({
      kind: "failed",
      fault: { code: -32602 },
    });
  });

  test("calls a tool of a legacy server as everybody does", async () => {
    await using up = await open("legacy");
    const result = await up.tool("mcp_jobs_slow").run({}, context({ capabilities: FOLLOWS }));
    expect(said(result)).toBe("slow ");
  });
});

inDeep(
  "the task-only tool of the reference server is called by everybody",
  async () => {
    await using up = await testUpstream();
    await up.upstream.add("all", EVERYTHING);
    const name = "mcp_all_simulate_research_query";
    await waitUntil("its tools are known", () => up.upstream.tools().some((tool) => tool.name === name));
    const result = await up.call(name, { topic: "cheese" });
    expect(said(result)).toContain("Research Report: cheese");
  },
  60_000,
);

async function open(era: string): Promise<TestUpstream & { readonly file: string }> {
  const up = await testUpstream();
  const file = join(up.settings.home, "cancelled");
  const script = join(import.meta.dirname, "../../support/servers/tasks.mjs");
  await up.upstream.add("jobs", { command: process.execPath, args: [script, era, file] });
  await waitUntil("its tools are known", () => up.upstream.tools().length > 0);
  return Object.assign(up, { file });
}

function context(rounds: Rounds): ToolContext {
  const { signal } = new AbortController();
  return { callId: "call_test", caller: testCaller(), signal, progress() {}, rounds };
}
