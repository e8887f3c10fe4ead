// What a large catalogue costs a daemon at rest: started with every server of the public catalogue and with none.
import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  catalogueServers,
  missingCatalogue,
  registerCatalogue,
  scratchHome,
  startDaemon,
} from "./support/catalogue.mjs";
import { latencies, machine, median } from "./support/measure.mjs";

const ROUNDS = 7;
const LISTS = 5;
/** After this long at rest a daemon has done whatever it does after its start. */
const REST_MS = 500;
const MEGABYTE = 2 ** 20;

const BARS = { startRatio: 1.5, rssMb: 60, children: 0 };

export async function bench() {
  const missing = missingCatalogue();
  if (missing !== undefined) return { skipped: missing };

  const servers = catalogueServers();
  const tools = servers.reduce((sum, server) => sum + server.tools, 0);
  const empty = await scratchHome();
  const full = await scratchHome();
  try {
    const { token, tookMs } = await registerCatalogue(full.path);
    // The first start of a home does more than every later one.
    await measured(empty.path);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ none: await measured(empty.path), all: await measured(full.path) });
    }
    const lists = await listed(full.path, token, tools);
    return {
      machine: machine(),
      servers: servers.length,
      tools,
      registerMs: tookMs,
      ...summed(rounds),
      lists,
    };
  } finally {
    await empty.remove();
    await full.remove();
  }
}

/** The bars of the acceptance list that a result misses, in words. */
export function missed({ skipped, startRatio, extraRssMb, children, lists }) {
  if (skipped !== undefined) return [];
  return [
    ...(startRatio > BARS.startRatio
      ? [`start to ready took ${startRatio.toFixed(2)}x, more than ${BARS.startRatio}x`]
      : []),
    ...(extraRssMb > BARS.rssMb ? [`RSS was ${extraRssMb.toFixed(0)} MB more, over ${BARS.rssMb} MB`] : []),
    ...(children > BARS.children || lists.children > BARS.children ? ["a child process was running"] : []),
  ];
}

export function toMarkdown(result) {
  if (result.skipped !== undefined) return `## Catalogue\n\nLeft out: ${result.skipped}.\n`;
  const { machine, servers, tools, registerMs, none, all, startRatio, extraRssMb, children, lists } = result;
  const row = (name, { readyMs, rssMb }) => `| ${name} | ${readyMs.toFixed(0)} ms | ${rssMb.toFixed(0)} MB |`;
  return `## Catalogue: ${servers} servers, ${tools} tools, all at rest

${machine}. Medians of ${ROUNDS} interleaved starts. Start to ready ${startRatio.toFixed(2)}x (at most ${BARS.startRatio}x), RSS
${extraRssMb.toFixed(0)} MB more (at most ${BARS.rssMb} MB), ${children} child processes. Registering all of them took ${(registerMs / 1000).toFixed(0)} s.

| registered | start to ready | RSS at rest |
|---|---|---|
${row("none", none)}
${row(`${servers} servers`, all)}

| listing all tools | first time | again | RSS afterwards |
|---|---|---|---|
| \`GET /api/tools\` | ${lists.api.firstMs.toFixed(0)} ms | ${lists.api.againMs.toFixed(0)} ms | ${lists.api.rssMb.toFixed(0)} MB |
| \`tools/list\` at /mcp | ${lists.mcp.firstMs.toFixed(0)} ms | ${lists.mcp.againMs.toFixed(0)} ms | ${lists.mcp.rssMb.toFixed(0)} MB |
`;
}

/** One start, and the daemon's memory and children at rest. */
async function measured(home) {
  const daemon = await startDaemon(home);
  try {
    await delay(REST_MS);
    const children = (await daemon.descendants()).length;
    return { readyMs: daemon.readyMs, rssMb: (await daemon.rssBytes()) / MEGABYTE, children };
  } finally {
    await daemon.stop();
  }
}

/** Ratios and differences are taken within a round, so that a machine that slows down does so for both alike. */
function summed(rounds) {
  const medians = (way) => ({
    readyMs: median(rounds.map((round) => round[way].readyMs)),
    rssMb: median(rounds.map((round) => round[way].rssMb)),
  });
  return {
    none: medians("none"),
    all: medians("all"),
    startRatio: median(rounds.map(({ none, all }) => all.readyMs / none.readyMs)),
    extraRssMb: median(rounds.map(({ none, all }) => all.rssMb - none.rssMb)),
    children: Math.max(...rounds.map(({ all }) => all.children)),
  };
}

async function listed(home, token, tools) {
  const daemon = await startDaemon(home);
  const client = new Client(
    { name: "bench", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  try {
    const api = await listing(daemon, tools, async () => (await daemon.api("GET", "/tools")).tools);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), { requestInit }));
    const mcp = await listing(
      daemon,
      tools,
      async () => (await client.listTools({}, { cacheMode: "bypass" })).tools,
    );
    return { api, mcp, children: (await daemon.descendants()).length };
  } finally {
    await client.close();
    await daemon.stop();
  }
}

async function listing(daemon, tools, list) {
  const once = async () => {
    const count = (await list()).filter(({ name }) => name.startsWith("mcp_")).length;
    if (count !== tools) throw new Error(`expected ${tools} tools of servers, got ${count}`);
  };
  const [firstMs] = await latencies(1, once);
  const againMs = median(await latencies(LISTS, once));
  return { firstMs, againMs, rssMb: (await daemon.rssBytes()) / MEGABYTE };
}
