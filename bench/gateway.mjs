// What Toolkeep adds to a call: the same tool of the same server, directly and through /mcp, in interleaved rounds.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { packagedServer, startLocalDaemon } from "../scripts/local-daemon.mjs";
import { latencies, machine, median, percentile, throughput } from "./support/measure.mjs";

const ROUNDS = 10;
const CALLS = 50;
const WARM_UP_CALLS = 100;
const CONCURRENCY = 16;
const CONCURRENT_CALLS = 160;

const MODERN = { pin: "2026-07-28" };
const EVERYTHING = packagedServer("everything", "stdio");
const TOOL = "mcp_everything_echo";

export async function bench() {
  const daemon = await startLocalDaemon({ servers: { everything: EVERYTHING }, grants: [TOOL] });
  const echo = await startEchoServer();
  const stdio = new StdioClientTransport({ ...EVERYTHING, stderr: "ignore" });
  const ways = [
    await way("direct, stdio", "echo", "legacy", stdio),
    await way("SDK server over HTTP, modern", "echo", MODERN, overHttp(echo.url)),
    await way("Toolkeep, legacy session", TOOL, "legacy", overHttp(daemon.url, daemon.token)),
    await way("Toolkeep, modern", TOOL, MODERN, overHttp(daemon.url, daemon.token)),
  ];
  try {
    for (const { call } of ways) await latencies(WARM_UP_CALLS, call);
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of ways) one.latencies.push(await latencies(CALLS, one.call));
      for (const one of ways) one.throughputs.push(await throughput(CONCURRENT_CALLS, CONCURRENCY, one.call));
    }
    return { machine: machine(), rounds: ROUNDS, calls: CALLS, concurrency: CONCURRENCY, rows: rowsOf(ways) };
  } finally {
    for (const { client } of ways) await client.close();
    await echo.stop();
    await daemon.stop();
  }
}

export function toMarkdown({ machine, rounds, calls, concurrency, rows }) {
  const lines = rows.map(
    ({ name, p50, p95, ratio, perSecond, throughputRatio }) =>
      `| ${name} | ${p50.toFixed(2)} ms | ${p95.toFixed(2)} ms | ${ratio.toFixed(2)}x | ${Math.round(perSecond)} | ${throughputRatio.toFixed(2)}x |`,
  );
  return `## Gateway: one \`echo\` call

${machine}. ${rounds} interleaved rounds of ${calls} calls; ratios are medians of the rounds, against *direct, stdio*.

| way | p50 at 1 | p95 at 1 | ratio of p50 | calls/s at ${concurrency} | ratio |
|---|---|---|---|---|---|
${lines.join("\n")}
`;
}

async function way(name, tool, mode, transport) {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const call = async () => {
    const result = await client.callTool({ name: tool, arguments: { message: "hello" } });
    if (result.isError || result.content[0]?.text !== "Echo: hello")
      throw new Error(`${name}: ${JSON.stringify(result)}`);
  };
  return { name, client, call, latencies: [], throughputs: [] };
}

/** Ratios are taken within a round, so that a machine that slows down does so for all ways alike. */
function rowsOf(ways) {
  const [direct] = ways;
  return ways.map(({ name, latencies, throughputs }) => ({
    name,
    p50: median(latencies.flat()),
    p95: percentile(latencies.flat(), 0.95),
    ratio: median(latencies.map((round, i) => median(round) / median(direct.latencies[i]))),
    perSecond: median(throughputs),
    throughputRatio: median(throughputs.map((value, i) => value / direct.throughputs[i])),
  }));
}

function overHttp(url, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

async function startEchoServer() {
  const path = fileURLToPath(new URL("support/echo-server.mjs", import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const stop = async () => {
    child.kill();
    await once(child, "exit");
  };
  return { url: String(line).trim(), stop };
}
