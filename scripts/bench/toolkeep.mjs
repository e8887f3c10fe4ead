// Toolkeep as a contender: the built program, with an agent that has its tools by a toolbox, rules that are looked at, and the audit on.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, spawnNode } from "./spawned.mjs";
import { openStream } from "./wire.mjs";

export const BIN = fileURLToPath(new URL("../../bin/toolkeep", import.meta.url));
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
 * `remove` ends it. `settings` come on top of the benchmark's own; `bin` may be another version's.
 */
export async function toolkeepHome(servers, { tokens: count = 1, settings = {}, bin = BIN } = {}) {
  const path = await mkdtemp(join(tmpdir(), "toolkeep-bench-"));
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    const write = (connect) =>
      writeFile(
        join(path, "config.json"),
        JSON.stringify({ ...SETTINGS, ...settings, mcpServers: withConnect(servers, connect) }),
      );
    await write("lazy");
    const daemon = await startToolkeep(path, { bin });
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
export async function startToolkeep(home, { nodeArgs = [], port, bin = BIN, pollMs = POLL_MS } = {}) {
  const listen = port ?? (await freePort());
  const process = spawnNode([...nodeArgs, bin, "serve", "--json"], {
    cwd: home,
    env: { TOOLKEEP_HOME: home, TOOLKEEP_DEFAULT_RULES: "false", TOOLKEEP_PORT: String(listen) },
  });
  const origin = `http://127.0.0.1:${listen}`;
  return {
    ...process,
    url: `${origin}/mcp`,
    api: async (method, path, body) => {
      const token = await untilReady(process, origin, join(home, "daemon.json"), pollMs);
      return callApi(`${origin}/api${path}`, method, token, body);
    },
    events: async (type, onEvent) => {
      const token = await untilReady(process, origin, join(home, "daemon.json"), pollMs);
      const headers = { authorization: `Bearer ${token}` };
      const target = { host: "127.0.0.1", port: listen, path: `/api/events?types=${type}`, headers };
      return openStream(target, (data) => onEvent(JSON.parse(data)));
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
  const states = new Map();
  let look = () => {};
  const stream = await daemon.events("server.state", ({ server, state }) => {
    states.set(server, state);
    look();
  });
  let late;
  try {
    const { servers } = await daemon.api("GET", "/servers");
    for (const { name, state } of servers) if (!states.has(name)) states.set(name, state);
    await new Promise((resolve, reject) => {
      late = setTimeout(
        () => reject(new Error(`not every server was connected to: ${[...states]}`)),
        READY_MS,
      );
      look = () => {
        if ([...states.values()].filter((state) => state === "ready").length === count) resolve();
      };
      look();
    });
  } finally {
    clearTimeout(late);
    stream.close();
  }
}

/** The token by which commands of the same user speak to a daemon; it is written when the daemon is ready. */
async function untilReady(process, origin, file, pollMs) {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    // The file of a daemon that was killed may still be there.
    if (text !== undefined && JSON.parse(text).url === origin) return JSON.parse(text).token;
    if (process.hasEnded() || performance.now() > deadline)
      throw new Error(`the daemon did not start: ${process.lastWords()}`);
    await delay(pollMs);
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
