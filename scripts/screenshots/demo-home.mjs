// A daemon with a day of plausible work behind it: servers in several states, agents, rules, calls, what waits.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BIN = fileURLToPath(new URL("../../bin/toolkeep", import.meta.url));
const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
const SERVER = fileURLToPath(new URL("./demo-server.mjs", import.meta.url));

/** `api(method, path, body)` speaks for an admin; `close()` ends it and removes its home. */
export async function openDemo() {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-demo-"));
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ log_level: "error", deferred_loading: true, mcp: { pin: true } }),
  );
  const env = { PATH: process.env.PATH, HOME: home, TOOLKEEP_HOME: home, TOOLKEEP_PORT: "0" };
  const daemon = spawn(process.execPath, [BIN, "serve", "--json"], {
    env,
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const handbook = await mkdtemp(join(tmpdir(), "handbook-"));
  const close = async () => {
    daemon.kill("SIGTERM");
    if (daemon.exitCode === null) await once(daemon, "exit");
    for (const folder of [home, handbook]) await rm(folder, { recursive: true, force: true });
  };
  const { url } = await firstJson(daemon.stdout);
  const toolkeep = async (...args) =>
    JSON.parse(
      (await promisify(execFile)(process.execPath, [BIN, ...args, "--json"], { env, cwd: home })).stdout,
    );
  const { token } = await toolkeep("token", "create", "--admin", "--label", "demo");
  const api = async (method, path, body) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const value = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await cp(DOCS, handbook, { recursive: true, filter: (file) => !file.endsWith(".png") });
  try {
    await fill(api, { changed: join(home, "changed"), handbook });
  } catch (error) {
    await close();
    throw error;
  }
  return { url, api, close };
}

async function fill(api, { changed, handbook }) {
  for (const name of ["github", "linear", "calendar", "postgres", "slack"]) {
    const reach = {
      command: process.execPath,
      args: [SERVER, name, ...(name === "slack" ? [changed] : [])],
      env: { [`${name.toUpperCase()}_TOKEN`]: "t" },
    };
    await api("POST", "/servers", { name, ...reach, wait: true, trusted: name !== "slack" });
  }
  await writeFile(changed, "yes");
  await api("POST", "/servers/slack/test");
  await api("POST", "/servers", { name: "sentry", url: "http://127.0.0.1:9/mcp", wait: true });
  await api("POST", "/servers", { name: "notion", command: "no-such-program", wait: true });
  await api("POST", "/servers/notion/disable");

  await api("POST", "/toolboxes", {
    name: "engineering",
    description: "Code, tickets, data",
    tools: ["mcp:github:*", "mcp:linear:*", "mcp:postgres:*"],
  });
  await api("POST", "/toolboxes", {
    name: "office",
    description: "Calendar and chat",
    tools: ["mcp:calendar:*", "mcp:slack:*"],
  });
  await api("POST", "/agents", {
    name: "reviewer",
    description: "Reads pull requests",
    toolboxes: ["engineering"],
  });
  await api("POST", "/agents", {
    name: "assistant",
    description: "Plans the week",
    toolboxes: ["office"],
    grants: ["mcp_linear_list_tickets"],
  });
  await api("POST", "/agents", {
    name: "nightly",
    description: "Runs reports",
    toolboxes: ["engineering"],
    headless: true,
  });
  for (const agent of ["reviewer", "assistant"]) await api("POST", "/tokens", { agent, label: "laptop" });
  await api("PUT", "/secrets/GITHUB_TOKEN", { value: "ghp_not_a_real_one", hosts: ["api.github.com"] });
  await api("PUT", "/secrets/SENTRY_DSN", { value: "https://not-a-real-one@sentry.example" });
  await api("POST", "/people", { name: "eve", role: "operator" });
  await api("POST", "/rules", {
    permission: "mcp:github:merge_pull_request",
    action: "ask",
    note: "Merging is for people",
  });
  await api("POST", "/rules", { permission: "mcp:postgres:execute", action: "deny", agent: "nightly" }).catch(
    () => {},
  );

  await api("POST", "/sources", { name: "handbook", kind: "folder", config: { path: handbook } });
  await api("POST", "/sync", { source: "handbook", wait: true });
  await api("POST", "/memories", {
    agent: "reviewer",
    key: "review style",
    text: "Ask for tests before style.",
  });
  await api("POST", "/memories", { agent: "assistant", type: "preference", text: "No meetings before ten." });

  const calls = [
    ["reviewer", "mcp_github_list_issues", { repository: "acme/web", state: "open" }],
    ["reviewer", "mcp_github_search_code", { query: "retryAfter" }],
    ["reviewer", "mcp_linear_list_tickets", { team: "Web", assignee: "me" }],
    ["assistant", "mcp_calendar_list_events", { from: "2026-11-17", to: "2026-11-24" }],
    ["reviewer", "mcp_postgres_query", { sql: "select count(*) from orders" }],
    ["nightly", "mcp_postgres_describe_table", { table: "orders" }],
    ["reviewer", "mcp_github_no_such_tool", {}],
  ];
  for (let round = 0; round < 12; round++)
    for (const [agent, name, args] of calls) await api("POST", "/call", { agent, name, arguments: args });
  await api("POST", "/call", {
    agent: "reviewer",
    name: "mcp_postgres_execute",
    arguments: { sql: "update invoices set paid = true" },
  });
  for (const number of [412, 415])
    await api("POST", "/call", {
      agent: "reviewer",
      name: "mcp_github_merge_pull_request",
      arguments: { repository: "acme/web", number },
    });
}

async function firstJson(stream) {
  let text = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk;
    try {
      return JSON.parse(text);
    } catch {
      // Not all of it yet.
    }
  }
  throw new Error(`the daemon ended before it was ready: ${text}`);
}
