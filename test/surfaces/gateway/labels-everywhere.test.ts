import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolOutcome } from "../../../src/contract/tool.ts";
import { textLines } from "../../../src/lib/lines.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { relayStdio } from "../../../src/surfaces/gateway/stdio/stdio-relay.ts";
import { type TestGateway, testGateway } from "../../support/test-gateway.ts";
import { fixture } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** Of an untrusted server: what it gives labels. */
const READ = "mcp_web_echo";
/** Denied once a conversation has the label. */
const PROBE = "think";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await testGateway({
    servers: { web: fixture("echoes") as object },
    toolboxes: { box: ["mcp:web:*", "native:*"] },
    rules: [{ permission: PROBE, after: "untrusted_content", action: "deny" }],
    settings: { max_result_chars: 1_000 },
  });
  await gateway.hub.upstream.test("web");
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** A call at a surface, always with a new token and a new session or conversation: what the agent is told, as text. */
type Surface = (agent: string, name: string, args: object) => Promise<string>;

let conversations = 0;
const newConversation = () => `named-${++conversations}`;

const client =
  (era: "legacy" | "modern", path = "", named = false): Surface =>
  async (agent, name, args) => {
    const connected = await gateway.client(agent, era, { path });
    const meta = named ? { _meta: { "toolkeep/conversation": newConversation() } } : {};
    return JSON.stringify(await connected.callTool({ name, arguments: { ...args }, ...meta }));
  };

const rpc =
  (named: boolean): Surface =>
  async (agent, name, args) => {
    const meta = named ? { _meta: { "toolkeep/conversation": newConversation() } } : {};
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, ...meta } };
    const response = await fetch(gateway.url.replace(/mcp$/, "rpc"), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${await gateway.token(agent)}`,
      },
      body: JSON.stringify(body),
    });
    return await response.text();
  };

const stdio: Surface = async (agent, name, args) => {
  const [stdin, stdout, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  const token = await gateway.token(agent);
  const exit = relayStdio({ url: gateway.url, token, stdin, stdout, signal: stop.signal, log: silentLog });
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of textLines(stdout)) lines.push(line);
  })();
  const ask = async (id: number, method: string, params: object) => {
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const isAnswer = (line: string) => JSON.parse(line).id === id;
    await waitUntil("it is answered", () => lines.some(isAnswer));
    return lines.find(isAnswer)!;
  };
  const clientInfo = { name: "t", version: "1" };
  await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const answer = await ask(2, "tools/call", { name, arguments: args });
  stdin.end();
  await exit;
  stdout.end();
  await reading;
  return answer;
};

const library: Surface = async (agent, name, args) =>
  JSON.stringify(await callIn(agent, newConversation(), name, args));

/** A call in a conversation that the program around the hub opened. */
async function callIn(agent: string, conversation: string, name: string, args: object): Promise<ToolOutcome> {
  const turn = await gateway.hub.session({ agent, conversation }).turn();
  return turn.call({ name, arguments: args });
}

/** With a token: every one of them must know what came to any other. */
const WITH_TOKEN: Readonly<Record<string, Surface>> = {
  legacy: client("legacy"),
  modern: client("modern"),
  "modern, a new conversation named": client("modern", "", true),
  "legacy at a toolbox": client("legacy", "/box"),
  "modern at a toolbox": client("modern", "/box"),
  rpc: rpc(false),
  "rpc, a new conversation named": rpc(true),
  stdio,
};
const EVERY: Readonly<Record<string, Surface>> = { ...WITH_TOKEN, library };

let agents = 0;
async function newAgent(more: { parent?: string } = {}): Promise<string> {
  const name = `agent${++agents}`;
  await gateway.hub.identity.createAgent(name, { toolboxes: ["box"], ...more });
  return name;
}

const isDenied = (answer: string) => /denied by a rule/.test(answer);
const probe = async (surface: Surface, agent: string) =>
  isDenied(await surface(agent, PROBE, { thought: "?" }));

describe("what came to an agent at one surface", () => {
  it("has not come to it before", async () => {
    const agent = await newAgent();
    for (const [name, surface] of Object.entries(EVERY))
      expect(await probe(surface, agent), name).toBe(false);
  });

  it.each(Object.keys(EVERY))("counts at all others, with other tokens and sessions: %s", async (from) => {
    const agent = await newAgent();
    const read = await EVERY[from]!(agent, READ, { text: "hello" });
    expect(isDenied(read) || /unknown|not granted/.test(read), read).toBe(false);
    for (const [to, surface] of Object.entries(WITH_TOKEN))
      expect(await probe(surface, agent), `${from} → ${to}`).toBe(true);
    // Others have come in touch with nothing.
    expect(await probe(WITH_TOKEN.legacy!, await newAgent())).toBe(false);
  });
});

describe("what a labelled conversation leaves behind labels whoever reads it:", () => {
  const inWriter = (agent: string, name: string, args: object) => callIn(agent, "writer", name, args);
  const isLabelled = async (agent: string, conversation: string) =>
    (await callIn(agent, conversation, PROBE, { thought: "?" })).outcome === "denied";
  const label = (agent: string) => inWriter(agent, READ, { text: "hello" });
  const ok = (outcome: ToolOutcome) => {
    expect(outcome, outcome.text).toMatchObject({ outcome: "ok" });
    return outcome.structured as Record<string, { id: string; ref: string; key: string }>;
  };
  let keys = 0;
  const newKey = () => `K${++keys}`;

  /** How each kind is written, and how it is read by the same agent in another conversation; for others by `reader`. */
  const KINDS: Readonly<
    Record<
      string,
      {
        write(agent: string): Promise<string>;
        read(agent: string, conversation: string, written: string): Promise<ToolOutcome>;
        isShared?: boolean;
      }
    >
  > = {
    memory: {
      write: async (agent) =>
        ok(await inWriter(agent, "memorize", { text: `the pond of ${agent}` })).memory!.id,
      read: (agent, conversation) => callIn(agent, conversation, "recall", { query: "pond" }),
    },
    "memory under a key": {
      write: async (agent) =>
        ok(await inWriter(agent, "memory_put", { key: "pond", content: `of ${agent}` })).memory!.id,
      read: (agent, conversation) => callIn(agent, conversation, "memory_get", { key: "pond" }),
    },
    "memory that is searched": {
      write: async (agent) =>
        ok(await inWriter(agent, "memory_put", { key: "pond", content: `heron of ${agent}` })).memory!.id,
      read: (agent, conversation) => callIn(agent, conversation, "memory_search", { query: "heron" }),
    },
    project: {
      isShared: true,
      write: async (agent) => {
        const { project } = ok(await inWriter(agent, "create_project", { name: agent, key: newKey() }));
        return project!.key;
      },
      read: (agent, conversation, project) => callIn(agent, conversation, "get_project", { project }),
    },
    ticket: {
      isShared: true,
      write: async (agent) => {
        const { project } = ok(
          await callIn(agent, "clean", "create_project", { name: agent, key: newKey() }),
        );
        const args = { project: project!.key, title: "t", description: "d" };
        return ok(await inWriter(agent, "create_ticket", args)).ticket!.ref;
      },
      read: (agent, conversation, ticket) => callIn(agent, conversation, "get_ticket", { ticket }),
    },
    "ticket in a list": {
      isShared: true,
      write: async (agent) => {
        const { project } = ok(
          await callIn(agent, "clean", "create_project", { name: agent, key: newKey() }),
        );
        ok(await inWriter(agent, "create_ticket", { project: project!.key, title: "t" }));
        return project!.key;
      },
      read: (agent, conversation, project) => callIn(agent, conversation, "list_tickets", { project }),
    },
    comment: {
      isShared: true,
      write: async (agent) => {
        const { project } = ok(
          await callIn(agent, "clean", "create_project", { name: agent, key: newKey() }),
        );
        const args = { project: project!.key, title: "t" };
        const ticket = ok(await callIn(agent, "clean", "create_ticket", args)).ticket!.ref;
        ok(await inWriter(agent, "comment_ticket", { ticket, text: "see" }));
        return ticket;
      },
      read: (agent, conversation, ticket) => callIn(agent, conversation, "get_ticket", { ticket }),
    },
    note: {
      isShared: true,
      write: async (agent) => {
        const { project } = ok(
          await callIn(agent, "clean", "create_project", { name: agent, key: newKey() }),
        );
        ok(await inWriter(agent, "add_project_note", { project: project!.key, title: "t", body: "b" }));
        return project!.key;
      },
      read: (agent, conversation, project) =>
        callIn(agent, conversation, "search_project_notes", { project }),
    },
    history: {
      write: async (agent) => {
        ok(await inWriter(agent, READ, { text: "seen" }));
        await gateway.hub.audit.flush();
        return "";
      },
      read: (agent, conversation) => callIn(agent, conversation, "search_history", { tool: READ }),
    },
    "cut output": {
      write: async (agent) => (await inWriter(agent, READ, { text: "x".repeat(5_000) })).fullOutput!.id,
      read: (agent, conversation, id) => callIn(agent, conversation, "read_tool_output", { id }),
    },
  };

  it.each(Object.keys(KINDS))("%s", async (kind) => {
    const { write, read, isShared } = KINDS[kind]!;
    const writer = await newAgent();
    await label(writer);
    const written = await write(writer);
    expect(await isLabelled(writer, "later")).toBe(false);
    ok(await read(writer, "later", written));
    expect(await isLabelled(writer, "later")).toBe(true);
    const other = await newAgent();
    if (isShared) ok(await read(other, "theirs", written));
    expect(await isLabelled(other, "theirs")).toBe(isShared ?? false);

    // What a conversation without labels wrote labels nobody.
    if (kind === "history" || kind === "cut output") return;
    const clean = await newAgent();
    const unlabelled = await write(clean);
    ok(await read(clean, "later", unlabelled));
    expect(await isLabelled(clean, "later")).toBe(false);
  });

  it("a report, a question and a task's note of a sub-agent; a task of its parent", async () => {
    const parent = await newAgent();
    const child = await newAgent({ parent });
    ok(await callIn(child, "writer", "report_to_parent", { message: "begun" }));
    ok(await callIn(parent, "p1", "read_reports", {}));
    const { task } = ok(await callIn(parent, "p1", "create_task", { agent: child, title: "look" }));
    ok(await callIn(parent, "p1", "get_task", { id: task!.id }));
    expect(await isLabelled(parent, "p1")).toBe(false);

    await label(child);
    ok(await callIn(child, "writer", "report_to_parent", { message: "found" }));
    ok(await callIn(parent, "p1", "read_reports", {}));
    expect(await isLabelled(parent, "p1")).toBe(true);
    ok(await callIn(child, "writer", "update_task_status", { status: "done", note: "see" }));
    expect(await isLabelled(parent, "p2")).toBe(false);
    ok(await callIn(parent, "p2", "get_task", { id: task!.id }));
    expect(await isLabelled(parent, "p2")).toBe(true);

    const asking = callIn(child, "writer", "request_input", { question: "and now?" });
    await waitUntil("it is asked", async () => {
      const asked = await callIn(parent, "p3", "list_input_requests", {});
      return (asked.structured as { total: number }).total === 1;
    });
    expect(await isLabelled(parent, "p3")).toBe(true);
    const [question] = await gateway.hub.questions.list({ state: "pending" });
    await gateway.hub.questions.dismiss(question!.id);
    await asking;
  });

  it("a cut output that another token of the agent reads", async () => {
    const agent = await newAgent();
    const cut = await EVERY.legacy!(agent, READ, { text: "x".repeat(5_000) });
    const id = /out_[\w-]+/.exec(cut)![0];
    await gateway.hub.watchdog.clearLabels(gateway.hub.identity.agent(agent).id);
    for (const [name, surface] of Object.entries(WITH_TOKEN)) {
      expect(await probe(surface, agent), name).toBe(false);
      expect(await surface(agent, "read_tool_output", { id }), name).toContain("characters 0 to");
      expect(await probe(surface, agent), name).toBe(true);
      await gateway.hub.watchdog.clearLabels(gateway.hub.identity.agent(agent).id);
    }
  });
});
