// Toolkeep as a contender: the built program, with an agent that has its tools by a toolbox, rules that are looked at, and the audit on.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, spawnNode } from "./spawned.mjs";

const BIN = fileURLToPath(new URL("../../bin/toolkeep", import.meta.url));
const READY_MS = 60_000;
const POLL_MS = 50;

/** Large results pass whole and lists are whole, as they are through the others. */
const SETTINGS = {
  log_level: "error",
  deferred_loading: false,
  max_result_chars: 1_000_000,
  rules: [
    { permission: "mcp:*:delete_*", action: "deny" },
    { permission: "run_shell", action: "ask" },
    { permission: "mcp:*", action: "allow" },
  ],
};

/**
 * A home in which `servers` (as in `mcpServers`) are known with their tools and an agent has all of them, with `tokens` tokens.
 * `remove` ends it. `settings` come on top of the benchmark's own.
 */
export async function toolkeepHome(servers, { tokens: count = 1, settings = {} } = {}) {
  const path = await mkdtemp(join(tmpdir(), "toolkeep-bench-"));
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    const write = (connect) =>
      writeFile(
        join(path, "config.json"),
        JSON.stringify({ ...SETTINGS, ...settings, mcpServers: withConnect(servers, connect) }),
      );
    await write("lazy");
    const daemon = await startToolkeep(path);
    try {
      await untilServers(daemon, Object.keys(servers).length, ({ listedAt }) => listedAt !== null);
      await daemon.api("POST", "/toolboxes", { name: "bench", tools: ["mcp:*"] });
      await daemon.api("POST", "/agents", { name: "bench", toolboxes: ["bench"] });
      const tokens = [];
      for (let i = 0; i < count; i++)
        tokens.push((await daemon.api("POST", "/tokens", { agent: "bench" })).token);
      return { path, tokens, write, remove };
    } finally {
      await daemon.stop();
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A daemon of `home`; it may not be ready yet when this resolves, unless `api` has been awaited once. */
export async function startToolkeep(home, { nodeArgs = [], port } = {}) {
  const listen = port ?? (await freePort());
  const process = spawnNode([...nodeArgs, BIN, "serve", "--json"], {
    cwd: home,
    env: { TOOLKEEP_HOME: home, TOOLKEEP_DEFAULT_RULES: "false", TOOLKEEP_PORT: String(listen) },
  });
  const origin = `http://127.0.0.1:${listen}`;
  return {
    ...process,
    url: `${origin}/mcp`,
    api: async (method, path, body) => {
      const token = await untilReady(process, origin, join(home, "daemon.json"));
      return callApi(`${origin}/api${path}`, method, token, body);
    },
    events: async (type) => {
      const token = await untilReady(process, origin, join(home, "daemon.json"));
      const headers = { authorization: `Bearer ${token}` };
      const signal = AbortSignal.timeout(READY_MS);
      const response = await fetch(`${origin}/api/events?types=${type}`, { headers, signal });
      if (!response.ok) throw new Error(`GET /events: HTTP ${response.status}`);
      return eventsOf(response);
    },
  };
}

export async function untilServers(daemon, count, isSo) {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const { servers } = await daemon.api("GET", "/servers");
    if (servers.filter(isSo).length === count) return;
    if (performance.now() > deadline)
      throw new Error(`the servers were not ready: ${JSON.stringify(servers).slice(0, 500)}`);
    await delay(POLL_MS);
  }
}

/** Until every server is connected to, by what the daemon tells: to ask all the time would take from what is measured. */
export async function untilConnected(daemon, count) {
  const states = await daemon.events("server.state");
  const { servers } = await daemon.api("GET", "/servers");
  const ready = new Set(servers.filter(({ state }) => state === "ready").map(({ name }) => name));
  if (ready.size < count) {
    for await (const { server, state } of states) {
      if (state === "ready") ready.add(server);
      else ready.delete(server);
      if (ready.size === count) break;
    }
  }
  await states.return();
  await untilServers(daemon, count, ({ state }) => state === "ready");
}

/** What is told of one kind, from now on; until somebody returns. */
async function* eventsOf(response) {
  const decoder = new TextDecoder();
  let left = "";
  for await (const bytes of response.body) {
    const events = (left + decoder.decode(bytes, { stream: true })).split("\n\n");
    left = events.pop();
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/** The token by which commands of the same user speak to a daemon; it is written when the daemon is ready. */
async function untilReady(process, origin, file) {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    // The file of a daemon that was killed may still be there.
    if (text !== undefined && JSON.parse(text).url === origin) return JSON.parse(text).token;
    if (process.hasEnded() || performance.now() > deadline)
      throw new Error(`the daemon did not start: ${process.lastWords()}`);
    await delay(POLL_MS);
  }
}

function withConnect(servers, connect) {
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, connect }]));
}

async function callApi(url, method, token, body) {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: HTTP ${response.status} ${text}`);
  return JSON.parse(text);
}
