import { join } from "node:path";
import { expect, test } from "vitest";
import { type TestGateway, testGateway } from "../../../support/test-gateway.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const FOLLOWS = { extensions: { [TASKS]: {} } };
const ADA = { who: { action: "accept", content: { name: "Ada" } } };

test("a client that follows tasks is given one, asks how it is, answers it and gets its result", async () => {
  await using gateway = await open();
  const token = await gateway.token("worker");
  const ask = (method: string, params: Params, capabilities?: object) =>
    post(gateway, { token, method, params, capabilities: capabilities ?? FOLLOWS });

  const discovered = await ask("server/discover", {});
  expect(discovered.result.capabilities.extensions).toEqual({ [TASKS]: {} });

  const begun = await ask("tools/call", { name: "mcp_jobs_asks", arguments: {} });
  expect(begun.result).toMatchObject({ resultType: "task", status: "working", ttlMs: 60_000 });
  const { taskId } = begun.result;
  expect(taskId).not.toContain("task 0");

  const waiting = await ask("tasks/get", { taskId });
  expect(waiting.result).toMatchObject({
    resultType: "complete",
    taskId,
    status: "input_required",
    inputRequests: { who: { method: "elicitation/create" } },
  });
  const updated = await ask("tasks/update", { taskId, inputResponses: ADA });
  expect(updated.result).toMatchObject({ resultType: "complete" });
  expect(updated.result).not.toHaveProperty("taskId");
  expect((await ask("tasks/get", { taskId })).result).toMatchObject({
    status: "completed",
    result: { content: [{ text: "Hello Ada" }] },
  });
  expect((await ask("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  expect((await ask("tasks/get", { taskId }, {})).error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: FOLLOWS },
  });
  for (const wrong of ["nothing", `${taskId}A`, 7]) {
    expect((await ask("tasks/get", { taskId: wrong })).error).toMatchObject({ code: -32602 });
  }
  expect((await ask("tasks/update", { taskId })).error).toMatchObject({ code: -32602 });
  expect((await ask("tasks/list", {})).error).toMatchObject({ code: -32601 });
});

test("a task is its token's, and served by whoever has the key", async () => {
  await using gateway = await open();
  const token = await gateway.token("worker");
  const call = { method: "tools/call", params: { name: "mcp_jobs_slow", arguments: {} } };
  const begun = await post(gateway, { token, ...call, capabilities: FOLLOWS });
  const { taskId } = begun.result;
  const get = (bearer: string, url = gateway.url) =>
    post(
      { ...gateway, url },
      { token: bearer, method: "tasks/get", params: { taskId }, capabilities: FOLLOWS },
    );

  expect((await get(await gateway.token("worker"))).error).toMatchObject({ code: -32602 });
  expect((await get(await gateway.token("other"))).error).toMatchObject({ code: -32602 });
  expect((await get(token, `${gateway.url}/server/jobs`)).error).toMatchObject({ code: -32602 });
  expect((await get(token, await gateway.again())).result).toMatchObject({ taskId, status: "working" });

  await gateway.hub.catalog.toolboxes.update("working", { tools: [] });
  const taken = await get(token);
  expect(taken.error).toMatchObject({ code: expect.any(Number) });
  expect(taken).not.toHaveProperty("result");
});

test("a client that does not follow tasks gets the result of the call", async () => {
  await using gateway = await open();
  const token = await gateway.token("worker");
  const params = { name: "mcp_jobs_slow", arguments: { n: 7 } };
  const answer = await post(gateway, { token, method: "tools/call", params, capabilities: {} });
  expect(answer.result).toMatchObject({ resultType: "complete", content: [{ text: "slow 7" }] });
  const legacy = await gateway.client("worker", "legacy");
  expect(await legacy.callTool(params)).toMatchObject({ content: [{ text: "slow 7" }] });
});

test("an approved call that goes on as a task is asked about without another approval", async () => {
  await using gateway = await open({ rules: [{ permission: "mcp:jobs:*", action: "ask" }] });
  const token = await gateway.token("worker");
  const call = { method: "tools/call", params: { name: "mcp_jobs_slow", arguments: {} } };
  const ask = (method: string, params: Params) =>
    post(gateway, { token, method, params, capabilities: FOLLOWS });
  expect((await ask(call.method, call.params)).result).toMatchObject({ isError: true });
  const [question] = await gateway.hub.questions.list({ state: "pending" });
  await gateway.hub.questions.answer(question!.id, "once");
  const { taskId } = (await ask(call.method, call.params)).result;
  expect((await ask("tasks/get", { taskId })).result).toMatchObject({ status: "working" });
  expect(await gateway.hub.questions.list({ state: "pending" })).toEqual([]);
});

type Params = Record<string, unknown>;

interface Post {
  readonly token: string;
  readonly method: string;
  readonly params: Params;
  readonly capabilities: object;
}

async function open(setup: Parameters<typeof testGateway>[0] = {}): Promise<TestGateway> {
  const script = join(import.meta.dirname, "../../../support/servers/tasks.mjs");
  const gateway = await testGateway({
    servers: { jobs: { command: process.execPath, args: [script, "modern"] } },
    toolboxes: { working: ["mcp:jobs:*"] },
    agents: { worker: ["working"], other: ["working"] },
    ...setup,
  });
  await waitUntil("its tools are known", () => gateway.hub.upstream.tools().length > 0);
  return gateway;
}

/** One request of 2026-07-28. */
async function post({ url }: Pick<TestGateway, "url">, { token, method, params, capabilities }: Post) {
  const name = params.name ?? params.taskId;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    }),
  });
  const body = await response.text();
  const [, data] = /^data: (.*)$/m.exec(body) ?? [];
  return JSON.parse(data ?? body);
}
