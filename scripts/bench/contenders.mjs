// Everything that is measured, started in front of the same stdio server.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "../installed.mjs";
import { freePort, spawnNode } from "./spawned.mjs";
import { startToolkeep, toolkeepHome } from "./toolkeep.mjs";

const CACHE = process.env.TOOLKEEP_BENCH_DIR ?? join(tmpdir(), "toolkeep-bench-peers");
const MCP_HUB = "mcp-hub@4.2.1";
const MCP_PROXY = "mcp-proxy@6.7.19";
const SUPERGATEWAY = "supergateway@4.0.0";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** The server of the calls, and the one of the starts. */
export const UPSTREAM = [process.execPath, here("upstream.mjs")];
export const SDK_UPSTREAM = [process.execPath, here("sdk-upstream.mjs")];

export const PEERS = ["mcp-hub", "mcp-proxy", "supergateway"];

/**
 * By name, how to start each with one server behind it. What resolves has the `pid` whose CPU and memory count, the `ways` to reach it (name,
 * dialect, url, token) and `stop`. Not all are ready to be called when this resolves.
 */
export const CONTENDERS = {
  direct: () => printing("direct", [here("upstream.mjs"), "http"]),
  relay: () => printing("relay", [here("relay.mjs"), ...UPSTREAM]),
  sdk: () => printing("sdk", [here("sdk-gateway.mjs"), ...UPSTREAM]),
  toolkeep,
  "mcp-hub": () => mcpHub(serversOf(1, UPSTREAM)),
  "mcp-proxy": () => mcpProxy(UPSTREAM),
  supergateway: () => supergateway(UPSTREAM),
};

export const LABELS = {
  direct: "direct, HTTP",
  relay: "raw relay",
  sdk: "plain gateway on the SDK",
  toolkeep: "Toolkeep",
  "toolkeep-modern": "Toolkeep, modern era",
  "mcp-hub": MCP_HUB.replace("@", " "),
  "mcp-proxy": MCP_PROXY.replace("@", " "),
  supergateway: SUPERGATEWAY.replace("@", " "),
};

export function serversOf(count, [command, ...args]) {
  const name = (i) => (count === 1 ? "bench" : `bench${i + 1}`);
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), { command, args }]));
}

async function printing(name, args) {
  const process = spawnNode(args);
  const url = await process.firstLine();
  return { ...process, ways: [{ name, dialect: "legacy", url }] };
}

async function toolkeep({ profile } = {}) {
  const home = await toolkeepHome(serversOf(1, UPSTREAM));
  const nodeArgs = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const daemon = await startToolkeep(home.path, { nodeArgs });
  const stop = async () => {
    await daemon.stop();
    await home.remove();
  };
  const [token] = home.tokens;
  const ways = [
    { name: "toolkeep", dialect: "legacy", url: daemon.url, token },
    { name: "toolkeep-modern", dialect: "modern", url: daemon.url, token },
  ];
  return { ...daemon, ways, stop };
}

/** One process for all of `servers`; it speaks the older HTTP+SSE to its clients. */
export async function mcpHub(servers) {
  const entry = join(await installed(MCP_HUB, CACHE), "dist/cli.js");
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-bench-hub-"));
  const config = join(folder, "servers.json");
  await writeFile(config, JSON.stringify({ mcpServers: servers }));
  const port = await freePort();
  const process = spawnNode([entry, "--port", String(port), "--config", config], {
    cwd: folder,
    // Its log and state go where it looks first.
    env: { HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  const stop = async () => {
    await process.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    ...process,
    stop,
    ways: [{ name: "mcp-hub", dialect: "sse", url: `http://127.0.0.1:${port}/mcp` }],
  };
}

export async function mcpProxy(upstream) {
  const entry = join(await installed(MCP_PROXY, CACHE), "dist/bin/mcp-proxy.mjs");
  const port = await freePort();
  const process = spawnNode([
    entry,
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--server",
    "stream",
    "--",
    ...upstream,
  ]);
  return {
    ...process,
    ways: [{ name: "mcp-proxy", dialect: "legacy", url: `http://127.0.0.1:${port}/mcp` }],
  };
}

/** Stateful: without it every request starts a server of its own. */
export async function supergateway(upstream) {
  const entry = join(await installed(SUPERGATEWAY, CACHE), "dist/index.js");
  const port = await freePort();
  const command = upstream.map((part) => JSON.stringify(part)).join(" ");
  const options = [
    "--outputTransport",
    "streamableHttp",
    "--stateful",
    "--logLevel",
    "none",
    "--port",
    String(port),
  ];
  const process = spawnNode([entry, "--stdio", command, ...options]);
  return {
    ...process,
    ways: [{ name: "supergateway", dialect: "legacy", url: `http://127.0.0.1:${port}/mcp` }],
  };
}
