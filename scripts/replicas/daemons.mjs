// Daemons of this very tree on one database, each with a home of its own, and an agent that may call the tool that writes receipts.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, spawnNode } from "../bench/spawned.mjs";

const BIN = fileURLToPath(new URL("../../bin/toolkeep", import.meta.url));
const SERVER = fileURLToPath(new URL("receipt-server.mjs", import.meta.url));
const READY_MS = 60_000;
const POLL_MS = 20;

export const TOOL = "mcp_receipts_note";

/** `receipts()` are the nonces of every call that reached the server behind either daemon. */
export async function startReplicas(databaseUrl, count) {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-replicas-"));
  const log = join(folder, "receipts");
  await writeFile(log, "");
  const env = { DATABASE_URL: databaseUrl, TOOLKEEP_KEY: randomBytes(32).toString("base64") };
  const daemons = [];
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let n = 0; n < count; n++) daemons.push(await startDaemon(join(folder, `home-${n}`), env));
    const token = await prepare(daemons, log);
    const receipts = async () => (await readFile(log, "utf8")).split("\n").filter(Boolean);
    return { daemons, token, receipts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A server, an agent that may call it, and its token; known to all of them when this resolves. */
async function prepare(daemons, log) {
  const [first] = daemons;
  const server = { name: "receipts", command: process.execPath, args: [SERVER, log] };
  await first.api("POST", "/servers", server);
  // By a pattern: what an agent is given by name is always in its list, and there would be nothing to find.
  await first.api("POST", "/toolboxes", { name: "receipts", tools: ["mcp:receipts:*"] });
  await first.api("POST", "/agents", { name: "worker", toolboxes: ["receipts"] });
  const { token } = await first.api("POST", "/tokens", { agent: "worker" });
  for (const daemon of daemons) {
    const isListed = async () =>
      (await daemon.api("GET", "/servers")).servers.every(({ listedAt }) => listedAt !== null);
    await until("it knows the server's tools", isListed);
    await until("it knows the token", () => isKnown(daemon, token));
  }
  return token;
}

/** Whether a daemon lets a token in. */
export async function isKnown({ url }, token) {
  const response = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  await response.text();
  return response.status !== 401;
}

export async function until(what, condition) {
  const deadline = performance.now() + READY_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${READY_MS} ms in vain until ${what}`);
    await delay(POLL_MS);
  }
}

async function startDaemon(home, env) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await mkdir(home);
  // So that there is something that a conversation can find.
  await writeFile(join(home, "config.json"), JSON.stringify({ deferred_loading: true }));
  const daemon = spawnNode([BIN, "serve", "--json"], {
    env: {
      ...env,
      TOOLKEEP_HOME: home,
      TOOLKEEP_DEFAULT_RULES: "false",
      TOOLKEEP_PORT: String(port),
      TOOLKEEP_LOG_LEVEL: "error",
    },
  });
  let token;
  await until("the daemon is ready", async () => {
    if (daemon.hasEnded()) throw new Error(`the daemon ended: ${daemon.lastWords()}`);
    const text = await readFile(join(home, "daemon.json"), "utf8").catch(() => undefined);
    token = text && JSON.parse(text).token;
    return token !== undefined;
  });
  return {
    ...daemon,
    url: `${origin}/mcp`,
    origin,
    api: (method, path, body) => callApi(`${origin}/api${path}`, method, token, body),
  };
}

async function callApi(url, method, token, body) {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: HTTP ${response.status} ${text}`);
  return JSON.parse(text);
}
