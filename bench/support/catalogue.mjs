// The public catalogue of real servers and their tools, registered with a daemon of this tree and measured there.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { answerTo, readServer } from "./catalogue-answers.mjs";

const BIN = fileURLToPath(new URL("../../bin/toolkeep", import.meta.url));
const STUB = fileURLToPath(new URL("catalogue-server.mjs", import.meta.url));
export const CATALOGUE = fileURLToPath(new URL("../../../shared/bench/catalog.jsonl", import.meta.url));

const REGISTER_MS = 150_000;
const STOP_MS = 15_000;
const LINE_FEED = 10;

/** Why nothing can be measured here; undefined where everything is at hand. */
export function missingCatalogue() {
  return existsSync(CATALOGUE)
    ? undefined
    : "there is no ../shared/bench/catalog.jsonl beside this repository";
}

/** Every server of the catalogue: a name of its own, how many tools it has, and the command that replays it. */
export function catalogueServers() {
  const bytes = readFileSync(CATALOGUE);
  const taken = new Set();
  const servers = [];
  for (let offset = 0; offset < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, offset);
    const length = (end === -1 ? bytes.length : end) - offset;
    const { server, tools } = JSON.parse(bytes.toString("utf8", offset, offset + length));
    const plain = server.replace(/[^\w. -]+/g, "-").replace(/^[-. ]+|[-. ]+$/g, "");
    const name = taken.has(plain) ? `${plain} ${servers.length}` : plain;
    taken.add(name);
    const args = [STUB, CATALOGUE, String(offset), String(length)];
    servers.push({ name, tools: tools.length, command: process.execPath, args, offset, length });
    offset += length + 1;
  }
  return servers;
}

/** A home of its own; `remove` ends it. */
export async function scratchHome() {
  const path = await mkdtemp(join(tmpdir(), "toolkeep-catalogue-"));
  // Whole lists: what they cost is measured.
  const settings = { log_level: "error", deferred_loading: false };
  await writeFile(join(path, "config.json"), JSON.stringify(settings));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Serves the catalogue over HTTP, for whoever has no processor for a process of each server: `of` gives the address of
 * one of them.
 */
export async function replayOverHttp() {
  const listening = createServer(async (request, response) => {
    const [, offset, length] = request.url.split("/").map(Number);
    const body = request.method === "POST" ? JSON.parse(await text(request)) : undefined;
    const answer = body && answerTo(readServer(CATALOGUE, offset, length), body);
    if (!answer) return response.writeHead(body ? 202 : 405).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address();
  return {
    of: ({ offset, length }) => `http://127.0.0.1:${port}/${offset}/${length}`,
    async close() {
      listening.close();
      listening.closeAllConnections();
    },
  };
}

/**
 * Registers the whole catalogue with the daemon of `home` and waits until every list is known; each server is really
 * connected to, and where `urlOf` gives an address, there. Its agent may then see all tools. Resolves with the agent's
 * token and the milliseconds it took.
 */
export async function registerCatalogue(home, urlOf = () => undefined) {
  const servers = catalogueServers();
  const from = performance.now();
  const daemon = await startDaemon(home);
  try {
    for (const server of servers) {
      const { name, command, args } = server;
      const url = urlOf(server);
      await daemon.api("POST", "/servers", { name, ...(url ? { url } : { command, args }) });
    }
    await untilListed(daemon, servers.length);
    const { agent, token } = daemon.firstStart;
    await daemon.api("PATCH", `/agents/${agent}`, { grants: ["mcp:*"] });
    return { token, tookMs: performance.now() - from };
  } finally {
    await daemon.stop();
  }
}

async function untilListed(daemon, count) {
  const deadline = performance.now() + REGISTER_MS;
  for (;;) {
    const { servers } = await daemon.api("GET", "/servers");
    const broken = servers.filter(({ lastError }) => lastError !== null);
    if (broken.length > 0) throw new Error(`${broken[0].name} could not be listed: ${broken[0].lastError}`);
    const due = servers.filter(({ listedAt }) => listedAt === null);
    if (servers.length === count && due.length === 0) return;
    if (performance.now() > deadline) {
      const which = due.slice(0, 5).map(({ name, state }) => `${name} (${state})`);
      throw new Error(`${due.length} servers were not listed within ${REGISTER_MS} ms: ${which.join(", ")}`);
    }
    await delay(100);
  }
}

/** A daemon on a free port, with the time it took to be ready; `stop` ends it. */
export async function startDaemon(home) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TOOLKEEP_HOME: home,
    TOOLKEEP_DEFAULT_RULES: "false",
    TOOLKEEP_PORT: "0",
  };
  const from = performance.now();
  const child = spawn(process.execPath, [BIN, "serve", "--json"], {
    env,
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await exited;
    clearTimeout(force);
  };
  try {
    const { url, firstStart } = await firstJson(child.stdout);
    const readyMs = performance.now() - from;
    const { token } = JSON.parse(await readFile(join(home, "daemon.json"), "utf8"));
    return {
      url,
      firstStart,
      readyMs,
      api: (method, path, body) => callApi(`${url}/api${path}`, method, token, body),
      rssBytes: async () => (await processes()).find(({ pid }) => pid === child.pid).rssBytes,
      descendants: async () => descendantsOf(child.pid, await processes()),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function firstJson(stdout) {
  let text = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes("\n}\n")) return JSON.parse(text);
  }
  throw new Error(`the daemon ended before it was ready: ${text}`);
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

async function processes() {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss="], { maxBuffer: 2 ** 24 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid, parent, kilobytes]) => ({ pid, parent, rssBytes: kilobytes * 1024 }));
}

function descendantsOf(pid, table) {
  const children = table.filter((row) => row.parent === pid).map((row) => row.pid);
  return children.flatMap((child) => [child, ...descendantsOf(child, table)]);
}
