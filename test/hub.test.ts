import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { enableTool, writeTool } from "./support/custom.ts";
import { FLOOR } from "./support/floor.ts";
import { inDeep } from "./support/length.ts";
import { hasPostgres } from "./support/postgres.ts";
import { readySchema } from "./support/ready-schema.ts";
import { tempHome } from "./support/temp-home.ts";
import { EVERYTHING, filesystem, testHub } from "./support/test-hub.ts";
import { waitUntil } from "./support/wait-until.ts";

const REPLY_PROTOCOL = ["report_to_parent", "request_input", "update_task_status"];

describe("a hub", () => {
  it("gives an agent without toolboxes exactly the core floor", async () => {
    await using test = await testHub({ agents: { bare: [] } });
    expect(test.hub.catalog.visible(test.caller("bare")).map((tool) => tool.name)).toEqual(FLOOR);
  });

  it("gives a sub-agent the reply protocol too", async () => {
    await using test = await testHub({ agents: { lead: [] } });
    await test.hub.identity.createAgent("helper", { parent: "lead" });
    const names = test.hub.catalog.visible(test.caller("helper")).map((tool) => tool.name);
    expect(names).toEqual([...FLOOR, ...REPLY_PROTOCOL].sort());
  });

  it("lets an agent call a server's tool its toolbox names, and no other", async () => {
    await using folder = await tempHome();
    await writeFile(join(folder.path, "a.txt"), "hello from a file");
    await using test = await testHub({
      servers: { fs: filesystem(folder.path) },
      toolboxes: { reading: ["mcp_fs_read_text_file"] },
      agents: { reader: ["reading"] },
    });
    await test.hub.upstream.test("fs");
    const names = test.hub.catalog.visible(test.caller("reader")).map((tool) => tool.name);
    expect(names).toEqual([...FLOOR, "mcp_fs_read_text_file"].sort());
    const path = join(folder.path, "a.txt");
    expect(await test.call("mcp_fs_read_text_file", { path }, "reader")).toMatchObject({
      outcome: "ok",
      text: "hello from a file",
    });
    expect(await test.call("read_text_file", { path }, "reader")).toMatchObject({
      outcome: "ok",
      tool: "mcp_fs_read_text_file",
    });
    expect((await test.call("mcp_fs_write_file", { path, content: "x" }, "reader")).outcome).toBe(
      "not_granted",
    );
    const misspelt = await test.call("mcp_fs_read_text_flie", { path }, "reader");
    expect(misspelt).toMatchObject({
      outcome: "unknown_tool",
      error: { details: { nearest: "mcp_fs_read_text_file" } },
    });
  });

  it("takes over changed settings without a restart", async () => {
    await using folder = await tempHome();
    await mkdir(join(folder.path, "sub"));
    await using test = await testHub();
    const { loadSettings } = await import("../src/machine/config/load.ts");
    const file = {
      mcpServers: { fs: filesystem(folder.path) },
      rules: [{ permission: "run_shell", action: "deny" }],
    };
    await writeFile(join(test.home, "config.json"), JSON.stringify(file));
    const env = { TOOLKEEP_HOME: test.home };
    await test.hub.apply(await loadSettings({ cwd: test.home, env, isTrusted: () => false }));
    expect((await test.call("run_shell", { command: "true" })).outcome).toBe("denied");
    expect((await test.hub.upstream.test("fs")).ok).toBe(true);
    expect((await test.call("mcp_fs_list_directory", { path: folder.path })).text).toContain("sub");
  });

  it("cuts a long output and lets the agent read the whole with read_tool_output", async () => {
    await using test = await testHub({ agents: { bare: [] }, settings: { max_result_chars: 2_000 } });
    const outcome = await test.call("run_shell", { command: "seq 1 3000" }, "bare");
    expect(outcome.truncated).toBe(true);
    const { id } = outcome.fullOutput!;
    const rest = await test.call("read_tool_output", { id, offset: 6_380, limit: 20 }, "bare");
    expect(rest.text).toContain("1500");
  });

  inDeep(
    "notices what another process changes between its start and its first look at the revision",
    async (context) => {
      if (!hasPostgres()) context.skip("this run has no PostgreSQL");
      await using schema = await readySchema();
      const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: Buffer.alloc(32, 7).toString("base64") };
      await using first = await testHub({ env });
      await using second = await testHub({ env });
      await first.hub.identity.createAgent("quick");
      await first.hub.vault.put("TOKEN", "a-value-of-the-other");
      const known = () => second.hub.identity.agents().map((agent) => agent.name);
      await waitUntil("the second knows the agent", () => known().includes("quick"));
      await waitUntil("the second knows the secret", () => second.hub.vault.names().includes("TOKEN"));
    },
  );

  it("takes over tokens, agents, toolboxes and servers that another process changed, and tells of what is asked there", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using schema = await readySchema();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: Buffer.alloc(32, 7).toString("base64") };
    await using first = await testHub({ env, agents: { worker: [] } });
    await using second = await testHub({ env });
    let changes = 0;
    second.hub.catalog.onChange(() => changes++);
    const asked: unknown[] = [];
    second.hub.events.on("question.asked", (payload) => asked.push(payload));

    const { token, record } = await first.hub.identity.createToken({ agent: "worker" });
    const recognised = () => second.hub.identity.authenticate(token);
    await waitUntil("it knows the token", () => typeof recognised() === "object");
    await first.hub.identity.deleteToken(record.id);
    await waitUntil("it knows the token no more", () => recognised() === "unknown");
    const before = changes;
    await first.hub.identity.updateAgent("worker", { grants: ["run_shell"] });
    await waitUntil("its lists are looked at again", () => changes > before);
    await first.hub.catalog.toolboxes.create("looking", { tools: ["grep"] });
    await waitUntil("it has the toolbox", () => second.hub.catalog.toolboxes.byName.has("looking"));
    await first.hub.upstream.add("everything", EVERYTHING);
    const tools = () => second.hub.catalog.all().map((tool) => tool.name);
    await waitUntil("it has the server's tools", () => tools().includes("mcp_everything_echo"));
    for (const { home } of [first, second]) await writeTool(home, "hello", "echo hi");
    await second.hub.custom.refresh();
    expect((await second.call("custom_hello")).outcome).toBe("disabled");
    await enableTool(first, "hello");
    await waitUntil("it has the custom tool", () => second.hub.custom.get("hello").status.kind === "active");
    expect((await second.call("custom_hello")).text).toBe("hi\n");

    const { agentId, agentName } = first.caller("worker");
    const question = {
      kind: "human",
      agentId,
      agentName,
      digest: "d",
      prompt: "Which?",
      details: {},
    } as const;
    const answer = await first.hub.questions.ask(question, { waitMs: 0 });
    await waitUntil("it was told", () => asked.length > 0);
    expect(asked).toMatchObject([{ id: "id" in answer && answer.id, agent: "worker", kind: "human" }]);
  });

  it("acts on rules, labels, people, secrets, sources, found tools and approvals of another process", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using schema = await readySchema();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: Buffer.alloc(32, 7).toString("base64") };
    const setup = { env, settings: { deferred_loading: true, approvals: { wait_secs: 0 } } };
    await using first = await testHub({
      ...setup,
      servers: { everything: EVERYTHING },
      toolboxes: { all_of_it: ["mcp:*"] },
      agents: { worker: ["all_of_it"] },
    });
    await first.hub.upstream.test("everything");
    await using second = await testHub({ ...setup, servers: { everything: EVERYTHING } });
    const outcome = async (test: typeof first, name: string, args: object) =>
      (await test.call(name, args, "worker")).outcome;
    const think = (test: typeof first, thought: string) => outcome(test, "think", { thought });
    const createdBy = "test";

    const listed = async () => (await second.hub.listings.for(second.caller("worker"))).tools;
    const echoIsListed = async () => (await listed()).some(({ name }) => name === "mcp_everything_echo");
    // From here on the second has the list of this conversation in memory.
    expect(await echoIsListed()).toBe(false);
    expect(await outcome(first, "tool_search", { query: "echo" })).toBe("ok");
    await waitUntil("the tool that was found is listed", echoIsListed);

    await first.hub.ruleBook.add({
      permission: "list_directory",
      action: "deny",
      after: "untrusted_content",
      createdBy,
    });
    const look = () => outcome(second, "list_directory", { path: "." });
    expect(await look()).toBe("ok");
    expect(await outcome(first, "mcp_everything_echo", { message: "of a stranger" })).toBe("ok");
    await waitUntil("the label counts", async () => (await look()) === "denied");

    const { id } = await first.hub.ruleBook.add({ permission: "think", action: "deny", createdBy });
    await waitUntil("the rule counts", async () => (await think(second, "denied")) === "denied");
    await first.hub.ruleBook.replace(id, { permission: "think", action: "ask" });
    await waitUntil("the rule is another", async () => (await think(second, "asked")) === "needs_approval");
    expect(await think(first, "asked")).toBe("needs_approval");
    const [question] = await first.hub.questions.list({ state: "pending" });
    await first.hub.questions.answer(question!.id, "once", { by: "eve", from: "cli", role: "admin" });
    await waitUntil("the approval counts", async () => (await think(second, "asked")) === "ok");
    expect(await think(second, "asked")).toBe("needs_approval");

    await first.hub.people.add("eve", "viewer");
    await waitUntil("it knows the person", () => second.hub.people.list().some(({ name }) => name === "eve"));
    await first.hub.vault.put("TOKEN", "a-value-of-the-other");
    const hides = () => !second.hub.vault.redact("it is a-value-of-the-other").includes("a-value");
    await waitUntil("it hides the secret", hides);
    await using papers = await tempHome();
    const source = { name: "papers", kind: "folder", config: { path: papers.path } };
    await first.hub.knowledge.sync.addSource(source);
    const sources = async () => (await second.hub.knowledge.sync.sources()).map(({ name }) => name);
    await waitUntil("it knows the source", async () => (await sources()).includes("papers"));
  });

  inDeep("opens beside others that open at the same moment on an empty database", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using schema = await readySchema();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: Buffer.alloc(32, 7).toString("base64") };
    const servers = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { command: "false" }]));
    const opened = await Promise.allSettled([1, 2, 3, 4].map(() => testHub({ env, servers })));
    for (const each of opened) if (each.status === "fulfilled") await each.value[Symbol.asyncDispose]();
    expect(opened.filter((each) => each.status === "rejected").map((each) => String(each.reason))).toEqual(
      [],
    );
  });
});
