import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Canaries } from "../support/canaries.ts";
import { connectClient } from "../support/connect-client.ts";
import { EventReader } from "../support/event-reader.ts";
import { leakyHttp } from "../support/leaky-http.ts";
import { type RemoteServer, remoteServer } from "../support/remote-server.ts";
import { command } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { type Serving, serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

/** Everything that was said, by surface: what was asked, and what came. */
const SURFACES = ["api", "mcp", "cli", "log", "home", "sent", "events"] as const;
type Surface = (typeof SURFACES)[number];
const said: Record<Surface, { what: string; text: string }[]> = {
  api: [],
  mcp: [],
  cli: [],
  log: [],
  home: [],
  sent: [],
  events: [],
};

const LEAKY = join(import.meta.dirname, "../support/servers/leaky.mjs");
const STDIO_TOOLS = ["leak", "leak_much", "leak_failure", "leak_error", "leak_and_die"];
/** Files of the home whose purpose is to hold a secret, readable by their user only. No others of these names. */
const SECRET_FILES = ["/config.json", "/daemon.json", "/key"];

const canaries = new Canaries();
const plant = (place: string) => canaries.plant(place);

let home: Awaited<ReturnType<typeof tempHome>>;
let daemon: Serving;
let remote: RemoteServer;
/** Gets what the daemon sends by itself: announcements of approvals, and spans. */
let receiver: RemoteServer;
let events: EventReader;
let adminToken: string;
let agentToken: string;
let isRefusing = true;

beforeAll(async () => {
  home = await tempHome();
  const tokens = { access: plant("access-token"), refresh: plant("refresh-token") };
  remote = await remoteServer(leakyHttp(tokens, () => isRefusing));
  receiver = await remoteServer(async (incoming, response) => {
    said.sent.push({ what: String(incoming.url), text: await text(incoming) });
    response.end();
  });
  await writeSettings();
  const key = canaries.plantAs("toolkeep-key", randomBytes(32).toString("base64"));
  const env = { TOOLKEEP_KEY: key, TOOLKEEP_LOG_LEVEL: "trace", OF_A_VARIABLE: plant("variable") };
  daemon = await serve({ home: home.path, env });
  await createTokens(env);
  events = await EventReader.open(`${daemon.url}/api/events`, { authorization: `Bearer ${adminToken}` });

  await registerServers();
  // First: a call to a server that is changed meanwhile may find it away.
  await changeServers(env);
  await Promise.all([typeCommands(env), askForSecrets(env), useSecrets(env)]);
  await actAsAgent();
  await askPeople(env);
  await changePinned();
  await readEverything();
  await shutDown();
}, 300_000);

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
});

describe("a canary", () => {
  it("would be found in every form", () => {
    const nose = new Canaries();
    const value = nose.plant("here");
    const forms = [
      value,
      `x${value}y`,
      encodeURIComponent(value),
      JSON.stringify({ value }),
      Buffer.from(value).toString("base64"),
      Buffer.from(`me:${value}`).toString("base64"),
      Buffer.from(`a${value}`).toString("base64url"),
      value.slice(0, 25),
    ];
    for (const form of forms) expect(nose.foundIn(`… ${form} …`), form).toEqual(["here"]);
    expect(nose.foundIn("cnry/here")).toEqual([]);
  });

  it("was told by every server that tells: what came instead is marked", () => {
    const redacted = (surface: Surface, what: RegExp) =>
      said[surface].filter((entry) => what.test(entry.what) && entry.text.includes("[redacted]")).length;
    const came = (call: string) => JSON.stringify(said.api.filter(({ what }) => what === call));
    for (const tool of STDIO_TOOLS) {
      expect(redacted("api", new RegExp(`call mcp_env_${tool}$`)), tool).toBeGreaterThan(0);
      expect(redacted("mcp", new RegExp(`call mcp_env_${tool}$`)), tool).toBeGreaterThan(0);
    }
    for (const server of ["args", "headers", "query", "oauth", "declared", "named"])
      expect(redacted("api", new RegExp(`call mcp_${server}_leak$`)), server).toBeGreaterThan(0);
    for (const name of Object.keys(SECRETS))
      expect(redacted("api", new RegExp(`call with ${name}$`)), came(`call with ${name}`)).toBeGreaterThan(0);
    expect(said.api.find(({ what }) => what === "call with UNBOUND")?.text).toContain('"denied"');
    for (const what of [/logs env$/, /logs crashes$/, /test crashes$/, /tools\/mcp_env_leak$/])
      expect(redacted("api", what), String(what)).toBeGreaterThan(0);
    expect(redacted("mcp", /^list$/)).toBeGreaterThan(0);
    expect(redacted("mcp", /progress/)).toBeGreaterThan(0);
    expect(redacted("cli", /^call/)).toBeGreaterThan(0);
    expect(redacted("cli", /^server logs/)).toBeGreaterThan(0);
    for (const what of ["approval", "human", "access"])
      expect(redacted("api", new RegExp(`^question ${what}$`)), what).toBe(1);
    expect(redacted("api", /^changes pinned$/)).toBe(1);
    expect(redacted("api", /api\/audit\?limit/)).toBe(1);
    expect(redacted("cli", /^audit export/)).toBeGreaterThan(0);
    expect(redacted("sent", /webhook/)).toBeGreaterThan(0);
    expect(said.sent.some(({ what, text }) => what.includes("/otlp") && text.includes("mcp_env_leak"))).toBe(
      true,
    );
    expect(redacted("events", /events/)).toBe(1);
    expect(said.api.find(({ what }) => what === "GET /metrics")?.text).toContain("toolkeep_");
    expect(said.log[0]!.text.length).toBeGreaterThan(1_000);
    expect(said.home.map(({ what }) => what)).toEqual(
      expect.arrayContaining([expect.stringMatching(/toolkeep\.db/)]),
    );
    expect(said.home.filter(({ text }) => text.includes("[redacted]")).length).toBeGreaterThan(1);
    expect(canaries.places.length).toBeGreaterThan(20);
  });

  it.each(SURFACES)("is nowhere in what the %s said", (surface) => {
    const leaks = said[surface].flatMap(({ what, text }) =>
      canaries.foundIn(text).map((place) => `${place}: ${what}`),
    );
    expect([...new Set(leaks)]).toEqual([]);
  });
});

/** A server of a settings file, with a secret in every place it has. */
async function writeSettings(): Promise<void> {
  const declared = {
    url: `${remote.url}?token=${encodeURIComponent(plant("declared-query"))}`,
    headers: { Authorization: `Bearer ${plant("declared-bearer")}` },
  };
  const idle = {
    command: "node",
    args: ["--password", plant("declared-arg")],
    env: { PRIVATE: plant("declared-env") },
    enabled: false,
  };
  const signed = {
    url: "https://x.example/mcp",
    oauth: {
      client_id: "me",
      client_secret: plant("declared-client-secret"),
      private_key: pem("declared-key"),
    },
    enabled: false,
  };
  // What they publish tells what was sent to them, so it is another each time.
  const settings = {
    mcp: { pin: false },
    mcpServers: { declared, idle, signed },
    rules: [{ permission: "think", action: "ask" }],
    approvals: { webhook_url: `${receiver.url}/webhook`, webhook_secret: plant("webhook-secret") },
    telemetry: {
      otlp_url: `${receiver.url}/otlp`,
      otlp_headers: `authorization=${encodeURIComponent(plant("otlp-header"))}`,
    },
  };
  await writeFile(join(home.path, "config.json"), JSON.stringify(settings));
}

function pem(place: string): string {
  return `-----BEGIN PRIVATE KEY-----\n${plant(place)}\n-----END PRIVATE KEY-----\n`;
}

/** The answers that show a new token once are not kept. */
async function createTokens(env: Record<string, string>): Promise<void> {
  const create = async (place: string, ...options: string[]) => {
    const where = { env: { ...env, TOOLKEEP_HOME: home.path }, cwd: home.path };
    const { stdout } = await command(where, "token", "create", ...options, "--json");
    return canaries.plantAs(place, JSON.parse(stdout).token);
  };
  adminToken = await create("admin-token", "--admin");
  const grants = [
    ...STDIO_TOOLS.map((tool) => `mcp_env_${tool}`),
    "list_mcp_servers",
    "add_mcp_server",
    "update_mcp_server",
  ];
  await cli(env, "agent", "create", "scout", ...grants.flatMap((name) => ["--grant", name]));
  agentToken = await create("agent-token", "--agent", "scout");
  const printed = daemon.ready.token ?? daemon.ready.agent?.token;
  if (typeof printed === "string") canaries.plantAs("first-token", printed);
}

async function registerServers(): Promise<void> {
  const origin = new URL(remote.url).origin;
  const bearer = (place: string) => ({
    Authorization: `Bearer ${plant(place)}`,
    "X-Api-Key": plant(`${place}-key`),
  });
  const node = process.execPath;
  const added: Promise<void>[] = [];
  const start = (name: string, input: object) => void added.push(add(name, input));
  start("env", {
    command: node,
    args: [LEAKY],
    env: { LEAK_TOKEN: plant("env"), LEAK_NAME: plant("env-plain-name") },
  });
  start("args", {
    command: node,
    args: [LEAKY, `--token=${plant("arg-equals")}`, "--api-key", plant("arg-after")],
  });
  start("crashes", {
    command: node,
    args: ["-e", 'process.stderr.write("bad token " + process.env.TOKEN); process.exit(3)'],
    env: { TOKEN: plant("crash-env") },
  });
  start("missing", { command: `/no/such/program`, args: [`--secret=${plant("missing-arg")}`] });
  start("headers", { url: remote.url, headers: bearer("header") });
  start("query", { url: `${remote.url}?api_key=${encodeURIComponent(plant("query"))}` });
  start("path", { url: `${origin}/mcp/${canaries.plantAs("path", randomBytes(20).toString("hex"))}` });
  start("closed", {
    url: `http://127.0.0.1:1/mcp?token=${encodeURIComponent(plant("closed-query"))}`,
    headers: bearer("closed-header"),
  });
  for (const status of ["401", "403", "500"])
    start(`says-${status}`, { url: `${origin}/${status}`, headers: bearer(`header-${status}`) });
  start("key", {
    url: `${origin}/oauth/mcp`,
    oauth: { grant: "client_credentials", clientId: "me", privateKey: pem("private-key") },
  });
  const oauth = { grant: "client_credentials", clientId: "me", clientSecret: plant("client-secret") };
  start("oauth", { url: `${origin}/oauth/mcp`, oauth });
  await Promise.all(added);
  await api("POST", "/api/servers/oauth/test", undefined, "test oauth while refused");
  isRefusing = false;
  await api("POST", "/api/servers/oauth/test", undefined, "test oauth");
  isRefusing = true;

  await api("POST", "/api/servers", {
    name: "bad",
    url: `ftp://x/${plant("bad-url")}`,
    headers: { "bad name": plant("bad-header") },
  });
  await api("POST", "/api/servers", {
    name: "bad",
    command: "x",
    env: plant("bad-env"),
    oauth: { secret: plant("bad-oauth") },
  });
  await api("POST", "/api/mcp/servers/test", {
    command: node,
    args: ["-e", "process.stderr.write(process.env.TOKEN); process.exit(1)"],
    env: { TOKEN: plant("unregistered-env") },
  });
  await api("POST", "/api/mcp/servers/test", {
    url: `${origin}/500`,
    headers: bearer("unregistered-header"),
  });
}

/** Registers and waits for the first attempt to connect. */
function add(name: string, input: object): Promise<void> {
  return api("POST", "/api/servers", { name, wait: true, ...input }, `add ${name}`);
}

async function changeServers(env: Record<string, string>): Promise<void> {
  await cli(
    env,
    "server",
    "add",
    "typed",
    "--no-test",
    "--env",
    `A=${plant("cli-env")}`,
    "--",
    "false",
    "--token",
    plant("cli-arg"),
  );
  await cli(env, "server", "edit", "typed", "--env", `A=${plant("cli-edited-env")}`);
  await cli(env, "server", "edit", "headers", "--header", `X-More=${plant("cli-header")}`);
  await cli(env, "server", "edit", "oauth", "--oauth-client-secret", plant("cli-client-secret"));
  await cli(env, "server", "add", "no/name", "--env", `A=${plant("cli-refused-env")}`, "--", "false");
}

async function typeCommands(env: Record<string, string>): Promise<void> {
  const servers = ["env", "crashes", "headers", "oauth", "says-500", "typed"];
  await Promise.all(
    servers.map(async (name) => {
      for (const command of ["show", "test", "logs"]) {
        await cli(env, "server", command, name);
        await cli(env, "server", command, name, "--json");
      }
    }),
  );
  for (const tool of STDIO_TOOLS) await cli(env, "call", `mcp_env_${tool}`, "--json");
  await cli(env, "call", "mcp_env_leak");
  await cli(env, "call", "mcp_headers_leak");
  await cli(env, "tool", "show", "mcp_env_leak");
}

/** A secret that a person types for an agent goes to the vault. */
async function askForSecrets(env: Record<string, string>): Promise<void> {
  const asked = api("POST", "/api/call", {
    name: "prompt_secret",
    agent: "scout",
    arguments: { name: "PIN", reason: "need" },
  });
  let id: string | undefined;
  await waitUntil("the question is there", async () => {
    const { questions } = JSON.parse((await request("GET", "/api/questions?state=pending")).text);
    id = questions[0]?.id;
    return id !== undefined;
  });
  await cli({ ...env, input: plant("vault") }, "question", "answer", id!, "--stdin");
  await asked;
}

/** What the secrets are that calls name, by where they come from. */
const SECRETS: Record<string, (folder: string) => Promise<string>> = {
  TYPED: async () => "",
  OF_VARIABLE: async () => "env:OF_A_VARIABLE",
  OF_FILE: async (folder) => {
    await writeFile(join(folder, "value"), plant("file"));
    return `file:${join(folder, "value")}`;
  },
  OF_PROGRAM: async (folder) => {
    await writeFile(join(folder, "said"), plant("program"));
    return `cmd:cat ${join(folder, "said")}`;
  },
};

/** Calls that name secrets, of a server that tells what it was sent in every form, and one that uses them in its headers. */
async function useSecrets(env: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-canaries-"));
  try {
    const bound = ["--tool", "mcp:headers:*", "--host", "127.0.0.1"];
    for (const [name, place] of Object.entries(SECRETS)) {
      const from = await place(folder);
      const how = from === "" ? ["--stdin"] : ["--from", from];
      const typed = from === "" ? { input: plant("typed-secret") } : {};
      await cli({ ...env, ...typed }, "secret", "set", name, ...how, ...bound);
      const call = { name: "mcp_headers_leak", arguments: { text: `x{{secret:${name}}}y` } };
      await api("POST", "/api/call", call, `call with ${name}`);
      await cli(env, "secret", "show", name);
    }
    await cli({ ...env, input: plant("unbound-secret") }, "secret", "set", "UNBOUND", "--stdin");
    const refused = { name: "mcp_headers_leak", arguments: { text: "{{secret:UNBOUND}}" } };
    await api("POST", "/api/call", refused, "call with UNBOUND");
    await add("named", { url: remote.url, headers: { "X-Key": "{{secret:TYPED}} {{secret:OF_PROGRAM}}" } });
    await api("POST", "/api/call", { name: "mcp_named_leak" }, "call mcp_named_leak");
    await cli(env, "secret", "list");
    await api("GET", "/api/secrets");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Through MCP, with a token of its own, and with secrets that the agent types. */
async function actAsAgent(): Promise<void> {
  // A server that has died is left alone for a while, unless a person tries it.
  await api("POST", "/api/servers/env/test");
  await using connected = await connectClient(daemon.url, agentToken);
  const { client } = connected;
  said.mcp.push({ what: "instructions", text: client.getInstructions() ?? "" });
  said.mcp.push({ what: "list", text: JSON.stringify(await client.listTools()) });
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const onprogress = (update: object) =>
      void said.mcp.push({ what: "progress", text: JSON.stringify(update) });
    const result = await client.callTool({ name, arguments: args }, { onprogress });
    said.mcp.push({ what: `call ${name}`, text: JSON.stringify(result) });
  };
  for (const tool of STDIO_TOOLS) {
    await call(`mcp_env_${tool}`);
    await api("POST", "/api/call", { name: `mcp_env_${tool}` }, `call mcp_env_${tool}`);
  }
  // Its secret was changed meanwhile, and with it went the token.
  isRefusing = false;
  await api("POST", "/api/servers/oauth/test", undefined, "test oauth");
  for (const server of ["args", "headers", "query", "oauth", "declared"])
    await api("POST", "/api/call", { name: `mcp_${server}_leak` }, `call mcp_${server}_leak`);
  isRefusing = true;
  await call("list_mcp_servers");
  const typed = (place: string) => ({
    env: { TOKEN: plant(`${place}-env`) },
    args: [`--token=${plant(`${place}-arg`)}`],
    oauth: { client_id: "me", client_secret: plant(`${place}-oauth`) },
  });
  await call("add_mcp_server", { name: "proposed", command: "x", ...typed("agent") });
  await call("add_mcp_server", { name: "no/name", command: "x", ...typed("agent-refused") });
  await call("add_mcp_server", { name: "proposed", command: "x", trusted: true, ...typed("agent-invalid") });
  await call("update_mcp_server", { name: "typed", env: { A: plant("agent-update") } });
  await call("update_mcp_server", { name: "gone", env: { A: plant("agent-update-refused") } });
  await call("remove_mcp_server", { name: "typed" });
  // The audit is written within a fifth of a second.
  await waitUntil("the last call is in the audit", async () =>
    (await request("GET", "/api/calls?limit=5")).text.includes("not_granted"),
  );
}

/** What an agent asks of people says a secret of theirs, which it has found somewhere. */
async function askPeople(env: Record<string, string>): Promise<void> {
  const found = plant("asked-secret");
  await cli({ ...env, input: found }, "secret", "set", "ASKED", "--stdin");
  const told = `use ${found}, which is ${Buffer.from(found).toString("base64")}`;
  const open = async (): Promise<readonly { id: string; kind: string }[]> =>
    JSON.parse((await request("GET", "/api/questions?state=pending")).text).questions;
  const before = new Set((await open()).map(({ id }) => id));
  const pending = async (kind: string) =>
    (await open()).find((question) => question.kind === kind && !before.has(question.id))?.id;
  const call = (name: string, args: object) =>
    api("POST", "/api/call", { name, agent: "scout", arguments: args }, `call ${name}`);
  const asked = [
    call("think", { thought: told }),
    call("prompt_human", { question: told, choices: [told, "no"] }),
  ];
  asked.push(call("request_tool_access", { tools: ["list_secrets"], reason: told }));
  for (const kind of ["approval", "human", "access"]) {
    await waitUntil(`the ${kind} is asked`, async () => (await pending(kind)) !== undefined);
    const id = (await pending(kind))!;
    await api("GET", `/api/questions/${id}`, undefined, `question ${kind}`);
    await cli({}, "question", "list");
    if (kind === "approval") {
      await api("GET", `/api/approvals/${id}`);
      await cli({}, "approval", "show", id);
      await waitUntil("it is announced", () => said.sent.some(({ text }) => text.includes(id)));
    }
    await api("POST", `/api/questions/${id}/dismiss`);
  }
  await Promise.all(asked);
}

/** A server that is pinned and publishes something else by then: what was sent to it. */
async function changePinned(): Promise<void> {
  const headers = { "X-Api-Key": plant("pinned-header") };
  await add("pinned", { url: remote.url, headers, pin: true });
  // One header more: what it tells is another, also without their values.
  const later = { ...headers, "X-Later": plant("pinned-header-later") };
  await api("PATCH", "/api/servers/pinned", { headers: later });
  await api("POST", "/api/servers/pinned/test");
  await api("GET", "/api/servers/pinned/changes", undefined, "changes pinned");
  await cli({}, "server", "changes", "pinned");
}

async function readEverything(): Promise<void> {
  const lists = [
    "status",
    "agents",
    "agents/scout",
    "agents/scout/tools",
    "tokens",
    "toolboxes",
    "servers",
    "tools",
  ];
  const more = ["calls?limit=1000", "tasks", "questions", "notifications?dismissed=true", "config", "trust"];
  more.push("audit?limit=1000", "audit/actions?limit=1000", "audit/export", "approvals?all=true");
  for (const path of [...lists, ...more]) await api("GET", `/api/${path}`);
  await api("GET", "/metrics");
  const { servers } = JSON.parse((await request("GET", "/api/servers")).text);
  await Promise.all(
    (servers as { name: string }[]).map(async ({ name }) => {
      await api("GET", `/api/servers/${name}`, undefined, `show ${name}`);
      await api("POST", `/api/servers/${name}/test`, undefined, `test ${name}`);
      await api("GET", `/api/servers/${name}/logs`, undefined, `logs ${name}`);
    }),
  );
  const { tools } = JSON.parse((await request("GET", "/api/tools")).text);
  for (const { name } of (tools as { name: string }[]).filter((tool) => tool.name.startsWith("mcp_")))
    await api("GET", `/api/tools/${name}`);
  const { url } = JSON.parse((await request("POST", "/api/login-links")).text);
  const login = await fetch(`${daemon.url}/login`, {
    method: "POST",
    headers: { origin: daemon.url },
    body: new URL(url).searchParams,
    redirect: "manual",
  });
  const cookie = login.headers.getSetCookie()[0]!.split(";")[0]!;
  const page = await fetch(daemon.url, { headers: { cookie } });
  said.api.push({ what: "page", text: await page.text() });

  const env = {};
  const commands = [
    "server list",
    "config show",
    "config check",
    "doctor",
    "tool list",
    "notification list --all",
    "audit list --limit 1000",
    "audit export",
  ];
  for (const command of [
    ...commands,
    "question list --all",
    "token list",
    "agent show scout",
    "server show proposed",
  ]) {
    await cli(env, ...command.split(" "));
    await cli(env, ...command.split(" "), "--json");
  }
}

/** The daemon ends by itself, and all that it leaves is read: its log, the store, whatever else it wrote. */
async function shutDown(): Promise<void> {
  await filesSaid("while it runs");
  said.events.push({ what: "/api/events", text: events.blocks.join("\n") });
  events.leave();
  await daemon.end();
  said.log.push({ what: "stdout and stderr", text: `${withoutToken(daemon.stdout())}\n${daemon.stderr()}` });
  await filesSaid("after it ended");
}

/** What it prints when it is ready shows the first agent's token, once. */
function withoutToken(stdout: string): string {
  return stdout.slice(stdout.indexOf("\n}\n"));
}

async function filesSaid(when: string): Promise<void> {
  for (const entry of await readdir(home.path, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(home.path.length);
    if (!entry.isFile() || SECRET_FILES.includes(path)) continue;
    const text = (await readFile(file)).toString("latin1");
    said.home.push({ what: `${path} ${when}`, text });
  }
}

async function request(method: string, path: string, body?: object): Promise<{ text: string }> {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const headers = JSON.stringify([...response.headers]);
  const text = await response.text();
  if (path !== "/api/login-links") said.api.push({ what: `${method} ${path} (headers)`, text: headers });
  return { text };
}

async function api(method: string, path: string, body?: object, what = `${method} ${path}`): Promise<void> {
  const { text } = await request(method, path, body);
  said.api.push({ what, text });
}

async function cli({ input, ...env }: Record<string, string>, ...args: string[]): Promise<void> {
  const where = { env: { ...env, TOOLKEEP_HOME: home.path }, cwd: home.path };
  const ran = await command({ ...where, ...(input !== undefined && { input }) }, ...args);
  said.cli.push({ what: args.slice(0, 3).join(" "), text: `${ran.stdout}\n${ran.stderr}` });
}
