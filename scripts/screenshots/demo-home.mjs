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

/** `api(method, path, body)` speaks for an admin; `close()` ends it and removes its home. `isNew`: with nothing in it. */
export async function openDemo({ isNew = false } = {}) {
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
    if (!isNew) await fill(api, { changed: join(home, "changed"), handbook });
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
  await api("POST", "/servers", { name: "sentry", url: "http://127.0.0.1:59999/mcp", wait: true });
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
    name: "tester",
    description: "Runs the tests of a change",
    parent: "reviewer",
    toolboxes: ["engineering"],
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
  const { memory } = await api("POST", "/memories", {
    agent: "assistant",
    key: "meetings",
    type: "preference",
    text: "No meetings before nine.",
  });
  await api("PATCH", `/memories/${memory.id}`, { text: "No meetings before ten, and none on Fridays." });
  await api("POST", "/memories", {
    agent: "reviewer",
    key: "release day",
    text: "Releases leave on Tuesdays; nothing is merged on Mondays after six.",
  });
  await work(api);

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
  // What was let run before, so that the next such call has something to be compared with.
  const merge = (number, method) =>
    api("POST", "/call", {
      agent: "reviewer",
      name: "mcp_github_merge_pull_request",
      arguments: { repository: "acme/web", number, method },
    });
  await merge(408, "squash");
  const { questions } = await api("GET", "/questions?kind=approval&state=pending");
  for (const { id } of questions) await api("POST", `/questions/${id}/answer`, { answer: "once" });
  await merge(408, "squash");
  await api("POST", "/call", {
    agent: "reviewer",
    name: "mcp_postgres_execute",
    arguments: { sql: "update invoices set paid = true" },
  });
  await merge(412, "rebase");
  await merge(415, "squash");
}

/** Tasks of a sub-agent, and a project with tickets and notes. */
async function work(api) {
  const give = (title, instructions) => api("POST", "/tasks", { agent: "tester", title, instructions });
  await give("Run the tests of pull request 415", "Only those of the folder checkout.");
  await give("Find out why the login test fails at times", "It fails about once a day since Thursday.");
  const { task } = await give("Compare the two caches", "");
  await api("POST", `/tasks/${task.id}/cancel`, { reason: "Decided otherwise" });
  await api("POST", "/projects", {
    name: "Checkout",
    key: "CHK",
    description: "The way from a full cart to a paid order.",
  });
  const tickets = [
    ["Prices are rounded twice", "urgent", "in_progress", "reviewer", ["bug", "money"]],
    ["The address form forgets the country", "high", "open", "tester", ["bug"]],
    ["Pay with a voucher", "normal", "blocked", null, ["feature"]],
    ["Say which field is wrong", "normal", "review", "reviewer", ["feature", "words"]],
    ["Measure how long a payment takes", "low", "open", null, []],
  ];
  for (const [title, priority, status, assignee, labels] of tickets)
    await api("POST", "/tickets", {
      project: "CHK",
      title,
      priority,
      status,
      assignee,
      labels,
      description:
        title === tickets[0][0] ? "Once per item and once for the sum; a cent is lost at times." : "",
    });
  await api("POST", "/tickets/CHK-1/comments", { text: "Seen with three items at 3.33." });
  await api("POST", "/projects/CHK/notes", {
    title: "Where prices come from",
    body: "The price list is read at midnight; carts keep the price they were filled at.",
    tags: ["money"],
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
