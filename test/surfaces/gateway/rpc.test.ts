import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Fastify from "fastify";
import { describe, expect, it } from "vitest";
import type { NewToken } from "../../../src/call/identity/contract.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { mountRpc } from "../../../src/surfaces/gateway/rpc.ts";
import { mountGateway } from "../../../src/surfaces/gateway/serve-mcp.ts";
import { callTables } from "../../support/call-tables.ts";
import { sampleOf } from "../../support/length.ts";
import { type TestHub, type TestHubSetup, testHub } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

interface Rpc extends TestHub {
  readonly url: string;
  token(input?: Partial<NewToken>): Promise<string>;
  /** What `/rpc` says to a body, sent as it is where it is text. */
  send(body: unknown, init?: RequestInit & { token?: string | null }): Promise<Response>;
  /** The message that answers a call. */
  call(name: string, args?: object): Promise<Message>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
type Message = any;

async function read(response: Response): Promise<Message> {
  return await response.json();
}

/** A listening daemon's part that speaks JSON-RPC, with an agent that has every native tool. */
async function rpc(setup: TestHubSetup = {}): Promise<Rpc> {
  const test = await testHub({ agents: { main: ["all"] }, ...setup });
  const app = Fastify({ forceCloseConnections: true });
  const { lists } = mountGateway(app, test.hub, { log: silentLog, version: "0" });
  mountRpc(app, test.hub, { log: silentLog, lists });
  const url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/rpc`;
  const token = async (input: Partial<NewToken> = {}) =>
    (await test.hub.identity.createToken({ agent: "main", ...input })).token;
  const own = await token();
  const send: Rpc["send"] = (body, { token: bearer = own, ...init } = {}) =>
    fetch(url, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
      headers: {
        "content-type": "application/json",
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...init.headers,
      },
    });
  return {
    ...test,
    url,
    token,
    send,
    async call(name, args = {}) {
      return await read(await send(request("tools/call", { name, arguments: args })));
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await test[Symbol.asyncDispose]();
    },
  };
}

function request(method: string, params?: object, id: unknown = 1) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

async function learned(test: Rpc, name: string, behaviour: string): Promise<void> {
  await test.hub.upstream.add(name, fixture(behaviour));
  await test.hub.upstream.settled();
  await test.hub.identity.updateAgent("main", { toolboxes: ["all"], grants: [`mcp:${name}:*`] });
}

describe("K9: POST /rpc", () => {
  it("lists the tools of the agent, as MCP lists them", async () => {
    await using test = await rpc();
    const response = await test.send(request("tools/list"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    const message = await read(response);
    expect(message).toMatchObject({ jsonrpc: "2.0", id: 1 });
    const visible = test.hub.catalog.visible(test.caller("main")).map(({ name }) => name);
    expect(message.result.tools.map(({ name }: { name: string }) => name)).toEqual(visible);
    expect(message.result.tools[0]).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      inputSchema: { type: "object" },
    });
  });

  it("C10: passes no integer on as another one", async () => {
    await using test = await rpc();
    await learned(test, "echo", "echoes");
    const asked = (id: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_echo_echo","arguments":{"approved":true,"id":${id}}}}`;
    const echoed = async (id: string) => (await read(await test.send(asked(id)))).result;
    expect(await echoed("9007199254740993")).toEqual({ id: "9007199254740993" });
    expect(await echoed("9007199254740991")).toEqual({ id: 9007199254740991 });
  });

  it("gives what a tool gave, not wrapped in content", async () => {
    await using test = await rpc();
    const workspace = join(test.home, "workspaces/main");
    await test.call("list_directory");
    await writeFile(join(workspace, "note.txt"), "remember the milk");
    const { result, error } = await test.call("read_file", { path: "note.txt" });
    expect(error).toBeUndefined();
    expect(result).not.toHaveProperty("content");
    expect(JSON.stringify(result)).toContain("remember the milk");
  });

  it.each(
    sampleOf(
      [
        ["structured content", { structuredContent: { total: 3 }, content: [] }, { total: 3 }],
        ["text that is an object", { content: [{ type: "text", text: '{"total": 3}' }] }, { total: 3 }],
        ["text that is a list", { content: [{ type: "text", text: "[1, 2]" }] }, [1, 2]],
        ["text", { content: [{ type: "text", text: "three" }] }, { text: "three" }],
        [
          "text that only begins like JSON",
          { content: [{ type: "text", text: "[3] {" }] },
          { text: "[3] {" },
        ],
        [
          "an image",
          { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
          { text: expect.any(String), content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
        ],
      ],
      3,
    ),
  )("gives %s as it is", async (_what, answer, result) => {
    await using test = await rpc();
    await learned(test, "fix", "answers as told");
    expect(await test.call("mcp_fix_answer", { answer: JSON.stringify(answer) })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result,
    });
  });

  it.each([
    ["no_such_tool", {}, -32602, "unknown_tool"],
    ["read_file", { path: 7, offset: "x" }, -32602, "invalid_arguments"],
    ["read_file", { path: "absent.txt" }, -32000, "failed"],
  ])("answers %s with %j by an error that says how it ended", async (name, args, code, outcome) => {
    await using test = await rpc();
    const response = await test.send(request("tools/call", { name, arguments: args }, "abc"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: "abc",
      error: {
        code,
        message: expect.any(String),
        data: expect.objectContaining({ outcome, call_id: expect.stringMatching(/^call_/) }),
      },
    });
  });

  it("is 403 for a tool that the token's scopes do not cover, which then is not listed either", async () => {
    await using test = await rpc();
    const token = await test.token({ scopes: ["human"] });
    const call = request("tools/call", { name: "list_directory", arguments: {} });
    const refused = await test.send(call, { token });
    expect(refused.status).toBe(403);
    expect((await read(refused)).error).toMatchObject({ code: -32000, data: { outcome: "not_granted" } });
    const { result } = await read(await test.send(request("tools/list"), { token }));
    expect(result.tools.map(({ name }: { name: string }) => name)).not.toContain("list_directory");
  });

  it("asks the same rules: a call that needs approval does not run, and runs once approved", async () => {
    await using test = await rpc({ rules: [{ permission: "native:list_directory", action: "ask" }] });
    const { error } = await test.call("list_directory");
    expect(error).toMatchObject({
      code: -32000,
      data: {
        outcome: "needs_approval",
        remedy: expect.any(String),
        details: { approvalId: expect.any(String) },
      },
    });
    await test.hub.questions.answer(error.data.details.approvalId, "once");
    expect(await test.call("list_directory")).toHaveProperty("result");
    expect((await test.call("list_directory")).error.data.outcome).toBe("needs_approval");
  });

  it("wants an agent's token: 401 with a challenge without, 403 for an admin's", async () => {
    await using test = await rpc();
    const none = await test.send(request("tools/list"), { token: null });
    expect(none.status).toBe(401);
    expect(none.headers.get("www-authenticate")).toContain("Bearer");
    const wrong = await test.send(request("tools/list"), { token: "tk_sk_wrong" });
    expect([wrong.status, (await read(wrong)).error.code]).toEqual([401, -32000]);
    const { token } = await test.hub.identity.createToken({});
    expect((await test.send(request("tools/list"), { token })).status).toBe(403);
  });

  it("is 429 for a token that comes too often", async () => {
    await using test = await rpc();
    const token = await test.token({ requestsPerMinute: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await test.send(request("tools/list"), { token })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it.each(
    sampleOf(
      [
        ["{", 400, -32700],
        ["", 400, -32700],
        ["7", 400, -32600],
        ["[]", 400, -32600],
        ['{"id":1,"method":"tools/list"}', 400, -32600],
        ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400, -32600],
        ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
        ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', 400, -32600],
        ['{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600],
        ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', 200, -32601],
        ['{"jsonrpc":"2.0","id":1,"method":"toString"}', 200, -32601],
        ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200, -32601],
        ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602],
        ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', 200, -32602],
      ],
      5,
    ),
  )("says to %s what is wrong with it", async (body, status, code) => {
    await using test = await rpc();
    const response = await test.send(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  it("takes no more than a message may have, and only JSON", async () => {
    await using test = await rpc({ settings: { max_message_bytes: 65_536 } });
    expect((await test.send(JSON.stringify(request("x".repeat(70_000))))).status).toBe(413);
    const headers = { "content-type": "text/plain" };
    expect((await test.send(request("tools/list"), { headers })).status).toBe(415);
    expect((await fetch(test.url)).status).toBe(404);
  });

  it("answers a batch in its order, and nothing where nobody waits", async () => {
    await using test = await rpc();
    const note = { jsonrpc: "2.0", method: "tools/call", params: { name: "list_directory" } };
    const batch = [
      request("tools/list", {}, "a"),
      note,
      7,
      request("tools/call", { name: "list_directory" }, "b"),
    ];
    const response = await test.send(batch);
    expect(response.status).toBe(200);
    const answers = await read(response);
    expect(
      answers.map(({ id, error }: { id: unknown; error?: object }) => [id, error === undefined]),
    ).toEqual([
      ["a", true],
      [null, false],
      ["b", true],
    ]);
    const silent = await test.send(note);
    expect([silent.status, await silent.text()]).toEqual([202, ""]);
    await waitUntil("all three calls are recorded", async () => {
      const calls = await callTables(test.hub.store).calls.list({ limit: 10 });
      return calls.filter(({ tool }) => tool === "list_directory").length === 3;
    });
  });

  it("runs calls of a batch together that may, and others one after another", async () => {
    const args = [join(import.meta.dirname, "../../support/servers/working.mjs")];
    const busy = { command: process.execPath, args, trusted: true };
    await using test = await rpc({
      servers: { busy },
      toolboxes: { box: ["mcp:*"] },
      agents: { main: ["box"] },
    });
    await test.hub.upstream.test("busy");
    const call = (id: string, name: string, more: object) =>
      request("tools/call", { name: `mcp_busy_${name}`, arguments: { who: id, ...more } }, id);
    const answers = await read(
      await test.send([
        call("a", "meet", { count: 2 }),
        call("b", "meet", { count: 2 }),
        call("c", "work", { ms: 30 }),
        call("d", "work", { ms: 1 }),
      ]),
    );
    expect(answers.map(({ id, result }: Message) => [id, result])).toEqual(
      ["a", "b", "c", "d"].map((id) => [id, { text: id }]),
    );
    expect((await test.call("mcp_busy_log")).result).toMatchObject({ most: 1, order: ["a", "b", "c", "d"] });
  });

  it("is recorded with its agent, token and conversation", async () => {
    await using test = await rpc();
    const _meta = { "toolkeep/conversation": "c1" };
    await test.send(request("tools/call", { name: "list_directory", _meta }));
    await waitUntil("it is recorded", async () => {
      const [call] = await callTables(test.hub.store).calls.list({ limit: 1 });
      return call?.tool === "list_directory" && call.conversation === "c1" && call.tokenId !== null;
    });
  });

  it("ends a call whose client has left", async () => {
    await using test = await rpc();
    await learned(test, "fix", "hangs on a call");
    const gone = new AbortController();
    const ended: string[] = [];
    let started = false;
    test.hub.events.on("call.started", () => (started = true));
    test.hub.events.on("call.ended", ({ outcome }) => ended.push(outcome));
    const answer = test
      .send(request("tools/call", { name: "mcp_fix_hang" }), { signal: gone.signal })
      .catch(() => undefined);
    await waitUntil("it runs", () => started);
    gone.abort();
    await waitUntil("it ended", () => ended.length === 1);
    expect(ended).toEqual(["cancelled"]);
    await answer;
  });
});
