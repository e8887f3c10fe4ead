import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { StoreDump } from "../../../src/machine/db/store.ts";
import { allComponents, ref } from "../../../src/surfaces/api/components.ts";
import type { OpenApiDocument } from "../../../src/surfaces/api/openapi.ts";
import { createBackup } from "../../../src/surfaces/daemon/backup.ts";
import { AnswerSchemas } from "../../support/answer-schemas.ts";
import { browser } from "../../support/browser.ts";
import { clientHome } from "../../support/client-home.ts";
import { writtenPlugin } from "../../support/plugin.ts";
import { oauthServers } from "../../support/servers/oauth.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../support/test-api.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { trustStores } from "../../support/trust-stores.ts";
import { fixture } from "../../support/upstream.ts";

/** Answers that are no JSON of ours: their own tests look at them. */
const OTHERWISE = ["POST /api/call/stream", "GET /api/audit/export", "GET /api/events", "GET /metrics"];

it("every route answers what its schema says", async () => {
  await using home = await clientHome();
  await home.write(".claude.json", {
    mcpServers: {
      fresh: { command: "never-started", env: { A_KEY: "canary" } },
      fix: { command: "other" },
      "not allowed!": { url: "https://b.example/mcp", headers: { Authorization: "Bearer canary" } },
    },
  });
  await home.write(".cursor/mcp.json", "{");
  await using remote = await oauthServers();
  const answered = new Set<string>();
  const told: string[] = [];
  await using api: TestApi = await testApi({
    agents: { main: ["all"] },
    env: { HOME: home.home },
    options: {
      gateway: () => ({
        endStreams() {},
        counts: () => ({ sessions: 0, streams: 0, subscriptions: 0, heldCalls: 0 }),
      }),
      backup: () =>
        createBackup({ store: api.hub.store, home: api.home, env: {}, version: "1.2.3", clock: Date.now }),
      config: () => ({
        settings: { port: 1 },
        files: [{ path: "/x", scope: "user", used: false, reason: "not trusted" }],
        warnings: ["w"],
      }),
    },
    routes: (app) =>
      app.addHook("onResponse", async ({ method, routeOptions }, { statusCode }) => {
        if (statusCode < 300) answered.add(`${method} ${routeOptions.url}`);
      }),
  });
  /** The answer; whether it fits is checked by the API under test. */
  const ask = async (method: Parameters<TestApi["request"]>[0], url: string, payload?: object) => {
    const { status, body } = await api.request(method, url, payload);
    // A backup is everything, and as secret as the home.
    if (url !== "/api/backup") told.push(JSON.stringify(body));
    expect(status, `${method} ${url}: ${JSON.stringify(body).slice(0, 1_000)}`).toBeLessThan(300);
    return body;
  };

  await ask("GET", "/health");
  for (const path of [
    "status",
    "checks",
    "home",
    "config",
    "settings",
    "mcp/discovery",
    "openapi.json",
    "imports",
    "trust",
  ])
    await ask("GET", `/api/${path}`);

  await ask("POST", "/api/agents", { name: "scout1", parent: "main", grants: ["nothing", "mcp:x:*"] });
  await ask("PATCH", "/api/agents/scout1", { folders: [{ path: "/srv", access: "read" }] });
  for (const path of ["", "/main", "/scout1", "/main/tools"]) await ask("GET", `/api/agents${path}`);
  const { task } = await ask("POST", "/api/tasks", { agent: "scout1", title: "look around" });
  for (const path of ["", `/${task.id}`]) await ask("GET", `/api/tasks${path}`);
  await ask("POST", `/api/tasks/${task.id}/cancel`, {});
  await ask("POST", "/api/call", {
    name: "report_to_parent",
    arguments: { message: "hello" },
    agent: "scout1",
  });
  const { messages } = await ask("GET", "/api/agents/main/messages");
  expect(messages).toHaveLength(1);
  await ask("POST", "/api/agents/main/messages/read", { ids: messages.map(({ id }: { id: string }) => id) });

  await ask("POST", "/api/projects", { name: "Tool keeper" });
  await ask("PATCH", "/api/projects/TK", { description: "d" });
  for (const path of ["", "/TK"]) await ask("GET", `/api/projects${path}`);
  const { note } = await ask("POST", "/api/projects/TK/notes", { title: "t", body: "b", tags: ["a"] });
  await ask("PATCH", `/api/projects/TK/notes/${note.id}`, { body: "c" });
  await ask("GET", "/api/projects/TK/notes");
  await ask("DELETE", `/api/projects/TK/notes/${note.id}`);
  await ask("POST", "/api/tickets", { project: "TK", title: "t", assignee: "main" });
  await ask("PATCH", "/api/tickets/TK-1", { labels: ["ui"] });
  const { comment } = await ask("POST", "/api/tickets/TK-1/comments", { text: "hi" });
  for (const path of ["", "/TK-1", "/TK-1/comments"]) await ask("GET", `/api/tickets${path}`);
  await ask("DELETE", `/api/tickets/TK-1/comments/${comment.id}`);
  await ask("DELETE", "/api/tickets/TK-1");
  await ask("DELETE", "/api/projects/TK");
  const { memory } = await ask("POST", "/api/memories", { text: "tabs", tags: ["style"], space: "shared" });
  await ask("PATCH", `/api/memories/${memory.id}`, { text: "spaces", type: "preference" });
  for (const path of ["", "?text=spaces", "/spaces", `/${memory.id}`, `/${memory.id}/history`])
    await ask("GET", `/api/memories${path}`);
  await ask("POST", `/api/memories/${memory.id}/retract`);
  expect((await ask("GET", "/api/memories/retracted")).versions).toHaveLength(1);
  await ask("DELETE", `/api/memories/${memory.id}`);

  const documents = join(home.home, "documents");
  await mkdir(documents);
  await writeFile(join(documents, "garden.md"), "# Garden\n\nTomatoes want sun.\n");
  const source = { kind: "folder", config: { path: documents } };
  expect(await ask("POST", "/api/sources/test", source)).toMatchObject({ ok: true, files: 1 });
  expect(await ask("POST", "/api/sources/test", { ...source, kind: "cloud" })).toMatchObject({ ok: false });
  await ask("POST", "/api/sources", { ...source, name: "garden" });
  await ask("PATCH", "/api/sources/garden", { label: "private" });
  const { sources } = await ask("POST", "/api/sync", { source: "garden", wait: true });
  expect(sources).toMatchObject([{ ok: true, added: 1 }]);
  await ask("POST", "/api/sync", {});
  for (const path of ["", "/garden"]) await ask("GET", `/api/sources${path}`);
  await ask("POST", "/api/inbox", { content: "Quinces." });
  expect(await ask("GET", "/api/inbox")).toMatchObject({ total: 1 });
  await ask("POST", "/api/memories", { text: "The sun shines." });
  const { results } = await ask("GET", "/api/search?query=sun&types=entity,memory");
  expect(results).toHaveLength(2);
  const { id } = results.find(({ kind }: { kind: string }) => kind === "entity");
  await ask("GET", `/api/entities/${id}`);
  await ask("GET", `/api/chunks/${id}:0?around=1`);
  await ask("DELETE", "/api/sources/garden");

  await ask("PUT", "/api/secrets/KEY", { value: "a-value", tools: ["http_request"] });
  for (const path of ["", "/KEY"]) await ask("GET", `/api/secrets${path}`);
  for (const verb of ["bind", "unbind"]) await ask("POST", `/api/secrets/KEY/${verb}`, { agents: ["main"] });
  await ask("DELETE", "/api/secrets/KEY");
  await ask("POST", "/api/vault/rotate-key");

  const { record } = await ask("POST", "/api/tokens", {
    agent: "main",
    scopes: ["files"],
    expiresInMs: 60_000,
  });
  await ask("POST", "/api/tokens", { label: "admin" });
  await ask("GET", "/api/tokens");
  await ask("DELETE", `/api/tokens/${record.id}`);

  const made = await ask("POST", "/api/rules", { permission: "read_file", action: "ask", agent: "main" });
  await ask("GET", "/api/rules");
  await ask("POST", "/api/rules/explain", { tool: "read_file", agent: "main", arguments: { path: "a" } });
  await ask("POST", "/api/rules/simulate", { rules: [{ permission: "*", action: "deny" }] });
  await ask("POST", "/api/rules/check", { permission: "read_file", action: "ask", agent: "main" });
  await ask("POST", "/api/rules/check", { permission: "" });
  await ask("PUT", `/api/rules/${made.rule.id}`, { permission: "read_file", action: "deny" });
  await ask("DELETE", `/api/rules/${made.rule.id}`);
  await trustStores(api.hub.store).labels.put({
    agentId: "agt_x",
    conversation: "c1",
    labels: ["seen"],
    labelledAt: Date.now(),
  });
  await api.hub.reload();
  await ask("GET", "/api/labels");
  await ask("DELETE", "/api/labels?agent=main");

  await ask("POST", "/api/toolboxes", { name: "box", tools: ["read_file", "nothing", "mcp:none:*"] });
  await ask("PATCH", "/api/toolboxes/box", { description: "d" });
  for (const path of ["", "/box", "/box/tools"]) await ask("GET", `/api/toolboxes${path}`);
  const toolbox = { name: "box", tools: ["grep", "nothing"] };
  await ask("POST", "/api/access/preview", { agent: { name: "main", toolboxes: ["box"] }, toolbox });
  await ask("DELETE", "/api/toolboxes/box");

  await ask("POST", "/api/servers", { name: "every", wait: true, ...EVERYTHING, env: { KEY: "v" } });
  await ask("POST", "/api/servers", { name: "fix", wait: true, ...fixture("dies during a call") });
  await ask("POST", "/api/servers", { name: "out", wait: true, ...fixture("exits at once") });
  await ask("POST", "/api/servers", {
    name: "cert",
    enabled: false,
    url: "https://x.example/mcp",
    oauth: { grant: "client_credentials", clientId: "me", clientSecret: "s" },
    tls: { cert: "/c.pem", key: "/k.pem" },
  });
  await api.hub.upstream.add("added", { command: "false" }, { addedBy: "main" });
  await ask("POST", "/api/servers/added/approve");
  await ask("PATCH", "/api/servers/cert", { retry: "once" });
  await ask("POST", "/api/mcp/servers/test", { ...fixture("echoes") });
  for (const name of ["every", "out"]) await ask("POST", `/api/servers/${name}/test`);
  for (const path of ["", "/every", "/every/offers", "/every/logs", "/out/logs"])
    await ask("GET", `/api/servers${path}`);
  await ask("GET", "/api/servers/every/findings");
  const { version: seen } = await ask("GET", "/api/servers/every/changes");
  await ask("POST", "/api/servers/every/accept", { seen });
  for (const verb of ["reject", "trust", "untrust", "disable", "enable"])
    await ask("POST", `/api/servers/every/${verb}`);
  await ask("PUT", "/api/tools/mcp_every_echo/capabilities", { capabilities: ["net"] });
  await ask("DELETE", "/api/servers/added");

  await ask("POST", "/api/servers", { name: "remote", url: remote.url, wait: true });
  await ask("GET", "/api/servers/remote/auth");
  const { url } = await ask("POST", "/api/servers/remote/auth");
  const back = await remote.visit(url);
  await ask("POST", "/api/servers/remote/auth/complete", { url: back.href, wait: true });
  await ask("DELETE", "/api/servers/remote/auth");

  await ask("GET", `/api/imports?cwd=${encodeURIComponent(home.project)}`);
  await ask("POST", "/api/imports/preview", { servers: [{ name: "n", clients: ["c"], digests: [] }] });
  await ask("POST", "/api/imports/pasted", { text: "{}" });
  await ask("POST", "/api/imports", { names: ["fresh"] });

  await ask("GET", "/api/tools");
  await ask("GET", "/api/tools?agent=main&brief=true&limit=5&state=active");
  await ask("GET", "/api/tools/read_file/use");
  await ask("GET", "/api/tool-search?query=read%20a%20file&agent=main");
  await ask("GET", "/api/mcp/snippets");
  for (const name of ["read_file", "mcp_every_echo"]) await ask("GET", `/api/tools/${name}`);
  const { tool } = await ask("POST", "/api/custom-tools", { name: "hello" });
  await ask("POST", "/api/custom-tools/hello/enable", { sha256: tool.sha256 });
  await mkdir(join(api.home, "tools", "broken"));
  for (const path of ["", "/hello", "/broken"]) await ask("GET", `/api/custom-tools${path}`);
  await ask("POST", "/api/custom-tools/hello/try", { arguments: { name: "you" } });
  await ask("POST", "/api/custom-tools/hello/disable");
  await ask("DELETE", "/api/custom-tools/hello");
  const workspace = join(api.home, "workspaces/operator");
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, "long.txt"), "long ".repeat(100_000));
  const calls: [string, string, object?][] = [
    ["ok", "list_directory"],
    ["unknown_tool", "no_such_tool"],
    ["unavailable", "mcp_fix_die"],
    ["ok", "mcp_every_get_structured_content", { location: "New York" }],
    ["ok", "mcp_every_get_tiny_image"],
    ["ok", "read_file", { path: "long.txt" }],
    ["ok", "notify", { title: "done", body: "all of it" }],
    ["invalid_arguments", "read_file", { path: 7, offset: "x" }],
  ];
  for (const [outcome, name, args] of calls) {
    const ended = await ask("POST", "/api/call", { name, arguments: args ?? {} });
    expect([name, ended.outcome]).toEqual([name, outcome]);
  }
  await ask("GET", "/api/calls");
  await api.hub.audit.flush();
  const recorded = await ask("GET", "/api/audit");
  await ask("GET", `/api/audit/calls/${recorded.calls[0].id}`);
  await ask("POST", "/api/audit/verify");
  for (const path of ["actions", "tail", "verify"]) await ask("GET", `/api/audit/${path}`);

  const { notifications } = await ask("GET", "/api/notifications");
  await ask("POST", `/api/notifications/${notifications[0].id}/dismiss`);
  const asking = (question: string) =>
    api.hub.callTool({
      name: "prompt_human",
      arguments: { question },
      caller: api.caller("main"),
      via: "api",
      signal: AbortSignal.timeout(5_000),
    });
  const asked = [asking("tea?"), asking("milk?")];
  await expect
    .poll(async () => (await ask("GET", "/api/questions")).questions.length, { timeout: 10_000 })
    .toBe(2);
  const { questions } = await ask("GET", "/api/questions?state=pending");
  await ask("GET", `/api/questions/${questions[0].id}`);
  await ask("POST", `/api/questions/${questions[0].id}/answer`, { answer: "yes" });
  await ask("POST", `/api/questions/${questions[1].id}/dismiss`);
  await Promise.all(asked);

  for (const [verb, body] of [
    ["approve", {}],
    ["reject", { reason: "no" }],
  ] as const) {
    const asker = { agentId: "agt_x", agentName: "main" };
    const about = { digest: verb, prompt: `May it ${verb}?`, details: { tool: verb, arguments: "{}" } };
    await api.hub.questions.ask({ kind: "approval", ...asker, ...about }, { waitMs: 0 });
    const { approvals } = await ask("GET", "/api/approvals");
    await ask("POST", `/api/approvals/${approvals[0].id}/${verb}`, body);
    for (const path of ["approvals", "questions"]) await ask("GET", `/api/${path}/${approvals[0].id}`);
  }

  const spec = await writtenPlugin(api, { permissions: { network: ["example.com"], files: "read" } });
  const { plugin } = await ask("POST", "/api/plugins", { kind: "folder", spec });
  await ask("POST", `/api/plugins/${plugin.name}/enable`, { sha256: plugin.sha256 });
  await ask("GET", "/api/plugins");
  await ask("GET", `/api/plugins/${plugin.name}`);
  for (const verb of ["update", "disable"]) await ask("POST", `/api/plugins/${plugin.name}/${verb}`);
  await ask("DELETE", `/api/plugins/${plugin.name}`);

  await ask("POST", "/api/trust", { path: "/srv/toolkeep.json", sha256: "a".repeat(64) });
  await ask("GET", "/api/trust");
  await ask("DELETE", "/api/trust?path=/srv/toolkeep.json");
  await ask("PATCH", "/api/settings", { changes: { "shell.timeout_ms": 60_000 } });
  await ask("POST", "/api/people", { name: "eve", role: "viewer" });
  await ask("PATCH", "/api/people/eve", { role: "operator" });
  await ask("POST", "/api/login-links", { person: "eve" });
  for (const path of ["people", "people/owner/sessions", "session"]) await ask("GET", `/api/${path}`);
  const hers = await browser(api.app, ADMIN_TOKEN, "eve");
  const { sessions } = await ask("GET", "/api/people/eve/sessions");
  await ask("DELETE", `/api/people/eve/sessions/${sessions[0].id}`);
  await ask("DELETE", "/api/people/eve/sessions");
  expect((await hers.send({ url: "/api/session" })).statusCode).toBe(401);
  await ask("DELETE", "/api/people/eve");
  await ask("DELETE", "/api/session");
  await ask("POST", "/api/backup");
  await expectPicked(await api.hub.store.dump(), told);
  await ask("DELETE", "/api/agents/scout1");

  const response = await api.app.inject({
    url: "/api/openapi.json",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const { paths } = response.json<OpenApiDocument>();
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
  );
  expect(routes.filter((route) => !answered.has(route) && !OTHERWISE.includes(route))).toEqual([]);
}, 120_000);

it("an answer that says more, less or something else than its schema is noticed", () => {
  const schemas = new AnswerSchemas();
  const said = { title: "t", instructions: "", status: "open", note: "", assignedBy: null };
  const task = { id: "t", agent: "a", ...said, createdAt: 1, updatedAt: 1 };
  expect(Object.keys(allComponents())).toContain("TaskView");
  expect(schemas.mismatch(ref("TaskView"), task)).toBeUndefined();
  const { note: _, ...less } = task;
  for (const wrong of [
    less,
    { ...task, more: 1 },
    { ...task, status: "lost" },
    { ...task, createdAt: "1" },
    null,
  ])
    expect(schemas.mismatch(ref("TaskList"), { tasks: [wrong] })).toBeDefined();
});

/** Answers are explicit picks: a value of a column that is not listed in `test/pins/visible-columns.txt` is in none of them. */
async function expectPicked({ tables }: StoreDump, answers: readonly string[]): Promise<void> {
  const listed = (await readFile(join(import.meta.dirname, "../../pins/visible-columns.txt"), "utf8")).split(
    "\n",
  );
  const said = answers.join("\n");
  const everywhere = JSON.stringify(tables);
  const visible = new Set<string>();
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) {
        const text = distinctive(value);
        // A value that other columns hold too says nothing about this one.
        if (text === undefined || everywhere.split(text).length > 2) continue;
        if (said.includes(text)) visible.add(`${table}.${column}`);
      }
  expect([...visible].filter((column) => !listed.includes(column)).sort()).toEqual([]);
  // It can fail: what people and agents write is visible, and what is sealed or hashed is not.
  expect(visible).toContain("tasks.title");
}

function distinctive(value: unknown): string | undefined {
  if (typeof value === "string") return value.length >= 8 ? JSON.stringify(value).slice(1, -1) : undefined;
  const sealed = value as { $base64?: string } | null;
  return typeof sealed?.$base64 === "string" ? sealed.$base64 : undefined;
}
