// `npm run soak [-- --calls N --rounds N --concurrency N]`: many calls to twenty servers of which five misbehave. Every call must be
// answered exactly once, the healthy servers must stay quick, memory flat, and no process may be left.
//
// The calls go to `hub.callTool`, in this process: what is on trial is how Toolkeep deals with servers, and the cost of an HTTP
// client and of the gateway would only hide it. It is the function that /mcp and the API call as well.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { percentile } from "../bench/support/measure.mjs";
import { run } from "./run.mjs";
import { Fleet, processesWith } from "./soak/fleet.mjs";
import { Ledger } from "./soak/ledger.mjs";
import { load } from "./soak/load.mjs";
import { verdict } from "./soak/verdict.mjs";

/** How many of the calls come before anything is measured. */
const WARM_UP = 0.2;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

await main(readOptions());

async function main(options) {
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-soak-"));
  const mark = randomUUID();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TOOLKEEP_HOME: join(folder, "home"),
    TOOLKEEP_DEFAULT_RULES: "false",
    SOAK: mark,
  };
  try {
    const seen = await soak(options, folder, env);
    const left = await processesWith(`SOAK=${mark}`);
    process.exitCode = verdict({ ...seen, concurrency: options.concurrency, left }) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function soak({ calls, rounds: count, concurrency }, folder, env) {
  const { createHub, loadSettings } = await import("../dist/index.js");
  const loaded = await loadSettings({ cwd: folder, env, isTrusted: async () => false });
  const hub = await createHub({ loaded, version: "0.0.0-soak", env });
  const fleet = new Fleet(hub, folder, env);
  const ledger = new Ledger(folder);
  hub.events.on("call.ended", ({ callId }) => ledger.ended(callId));
  const rounds = [];
  const memory = [];
  const part = (share, options) =>
    partOf({ hub, fleet, ledger, calls: calls * share, concurrency, ...options });
  try {
    await fleet.start();
    console.log(`15 healthy servers and 5 bad ones, ${calls} calls, ${concurrency} at a time; warming up …`);
    await part(WARM_UP, { bad: true });
    memory.push(await memoryAtRest(fleet));
    for (let n = 1; n <= count; n++) {
      // Half of it before and half of it after: what else the machine does then weighs on both alike.
      const before = await part(0.5 / count, { bad: false });
      const withBad = await part(1 / count, { bad: true });
      memory.push(await memoryAtRest(fleet));
      const after = await part(0.5 / count, { bad: false });
      rounds.push({ without: figuresOf([...before, ...after]), with: figuresOf(withBad) });
      printRound(n, rounds.at(-1), memory.at(-1));
    }
  } finally {
    await hub.close();
    await fleet.stop();
  }
  return { rounds, memory, ...(await ledger.close()), received: await fleet.received() };
}

/**
 * How long each call of a healthy server took. They get their share of the calls and of the concurrency whether the bad ones get
 * theirs at the same time or not: calls that hang must not make the others look quick by keeping load from them.
 */
async function partOf({ hub, fleet, ledger, bad, calls, concurrency }) {
  await fleet.use({ bad });
  const times = [];
  const note = ({ server, nonce, outcome: { callId, outcome, text } }) => {
    const isHealthy = fleet.healthy.includes(server);
    ledger.call({ server: server.name, isHealthy, bad, nonce, callId, outcome, isRight: text === nonce });
  };
  const shareOf = (servers, total) =>
    Math.ceil((total * servers.length) / (fleet.healthy.length + fleet.bad.length));
  const loadOn = (servers, onEnd) =>
    load({ hub, servers, calls: shareOf(servers, calls), concurrency: shareOf(servers, concurrency), onEnd });
  await Promise.all([
    loadOn(fleet.healthy, (end) => {
      times.push(end.ms);
      note(end);
    }),
    bad ? loadOn(fleet.bad, note) : undefined,
  ]);
  return times;
}

function figuresOf(times) {
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

/** Without the bad servers, and once what was in use a moment ago has been given back. */
async function memoryAtRest(fleet) {
  await fleet.use({ bad: false });
  for (let n = 0; n < 5; n++) {
    collectGarbage();
    await delay(200);
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 1024 / 1024, heap: heapUsed / 1024 / 1024 };
}

function printRound(n, { without, with: withBad }, { rss }) {
  const figures = ({ p50, p95 }) => `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
  const ratio = (withBad.p95 / without.p95).toFixed(2);
  console.log(
    `round ${n}: healthy alone ${figures(without)}; beside the bad ones ${figures(withBad)} (${ratio}x); RSS ${rss.toFixed(0)} MB`,
  );
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      calls: { type: "string", default: "20000" },
      rounds: { type: "string", default: "5" },
      concurrency: { type: "string", default: "32" },
    },
  });
  const options = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value)]));
  if (Object.values(options).every((value) => Number.isInteger(value) && value > 0)) return options;
  console.error(
    "Usage: npm run soak [-- --calls N --rounds N --concurrency N], each a whole number above 0.",
  );
  return process.exit(2);
}
