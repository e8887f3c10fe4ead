// `npm run bench -- versions --against CHECKOUT`: this build beside another built checkout of Toolkeep, round by round in one run: CPU of a call, the
// start of the daemon and of `toolkeep --version`. Ratios above 1 mean that this build is dearer.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { machine } from "../../bench/support/measure.mjs";
import { serversOf, UPSTREAM } from "./contenders.mjs";
import { startGenerator } from "./generator.mjs";
import { median } from "./median.mjs";
import { BIN, startToolkeep, toolkeepHome } from "./toolkeep.mjs";

const ROUNDS = 30;
/** How a process was compiled stays with it for life: every so many rounds both versions begin anew, so that no ratio rests on one pair. */
const ROUNDS_OF_A_PAIR = 6;
const WARM_UP_CALLS = 6_000;
/** Counts, not times: on a busy machine the two versions would else make different mixtures of dear and cheap calls. */
const LOADS = [
  { tools: ["echo"], concurrency: 1, calls: 800 },
  { tools: ["echo"], concurrency: 32, calls: 4_000 },
];
const START_ROUNDS = 15;
const BARS = { call: 1.08, start: 1.1 };
const ERAS = ["legacy", "modern"];

export async function bench({ against, rounds = String(ROUNDS) } = {}, say = console.error) {
  if (against === undefined) throw new Error("versions: name a built checkout with --against FOLDER");
  const other = join(resolve(against), "bin/toolkeep");
  if (!existsSync(other)) throw new Error(`versions: ${against} has no bin/toolkeep`);
  if (!/^[1-9]\d{0,2}$/.test(rounds))
    throw new Error(`--rounds ${rounds}: expected a whole number from 1 to 999`);
  const calls = await measureCalls(Number(rounds), { here: BIN, there: other }, say);
  const starts = await measureStarts({ here: BIN, there: other }, say);
  return { machine: machine(), rounds: Number(rounds), calls, starts };
}

/** The bars: the upper end of the 95 % interval of a call's CPU, the medians of the starts. */
export function missed({ calls, starts }) {
  return [
    ...Object.entries(calls)
      .filter(([, ratios]) => interval(ratios).high > BARS.call)
      .map(
        ([era, ratios]) =>
          `CPU of a ${era} call: up to ${interval(ratios).high.toFixed(3)}x, bar ${BARS.call}x`,
      ),
    ...Object.entries(starts)
      .filter(([, ratios]) => median(ratios) > BARS.start)
      .map(([what, ratios]) => `${what}: ${median(ratios).toFixed(2)}x, bar ${BARS.start}x`),
  ];
}

export function toMarkdown({ machine: where, rounds, calls, starts }) {
  const rows = [
    ...Object.entries(calls).map(([era, ratios]) => [`CPU of a call, ${era} client`, ratios, BARS.call]),
    ...Object.entries(starts).map(([what, ratios]) => [what, ratios, BARS.start]),
  ].map(([what, ratios, bar]) => {
    const { low, high } = interval(ratios);
    return `| ${what} | ${median(ratios).toFixed(3)}x | ${low.toFixed(3)}–${high.toFixed(3)}x | ${bar}x |`;
  });
  return [
    `## Versions\n\n${where}. This build beside another, ${rounds} interleaved rounds of calls; ratios of the rounds.\n`,
    "| what | median | 95 % interval of the median | bar |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

/** The 95 % interval of the median by order statistics: it assumes nothing about how the ratios are spread. */
export function interval(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b);
  const n = sorted.length;
  // Of 30, the tenth from either end: that many or fewer on one side of the median come in 2 % of all runs.
  const lowRank = Math.max(0, Math.floor((n - 1.96 * Math.sqrt(n)) / 2));
  return { low: sorted[lowRank], high: sorted[n - 1 - lowRank] };
}

async function measureCalls(rounds, bins, say) {
  const ratios = Object.fromEntries(ERAS.map((era) => [era, []]));
  for (let from = 0; from < rounds; from += ROUNDS_OF_A_PAIR) {
    const generator = startGenerator();
    const running = {};
    try {
      for (const [name, bin] of Object.entries(bins)) {
        running[name] = await started(bin, name);
        for (const way of running[name].ways) {
          await generator.connect(way, running[name]);
          for (const load of LOADS) await generator.run(way, { ...load, calls: WARM_UP_CALLS });
        }
      }
      for (let round = from; round < Math.min(rounds, from + ROUNDS_OF_A_PAIR); round++) {
        for (const [era, seen] of Object.entries(await oneRound(generator, running, round)))
          ratios[era].push(seen);
        say(
          `round ${round + 1} of ${rounds}: ${ERAS.map((era) => `${era} ${ratios[era].at(-1).toFixed(3)}x`).join(", ")}`,
        );
      }
    } finally {
      await generator.stop();
      await Promise.all(Object.values(running).map((daemon) => daemon.stop()));
    }
  }
  return ratios;
}

/** By era, the CPU of a call here divided by that there, the mean of both loads. Who goes first alternates. */
async function oneRound(generator, running, round) {
  const order = round % 2 === 0 ? ["here", "there"] : ["there", "here"];
  const ratios = {};
  for (const [at, era] of ERAS.entries()) {
    ratios[era] = 0;
    for (const load of LOADS) {
      const cpu = {};
      for (const name of order) {
        const seen = await generator.runWithCpu(running[name].ways[at], running[name], load);
        cpu[name] = seen.cpuUs;
      }
      ratios[era] += cpu.here / cpu.there / LOADS.length;
    }
  }
  return ratios;
}

async function started(bin, name) {
  const home = await toolkeepHome(serversOf(1, UPSTREAM), { bin });
  const daemon = await startToolkeep(home.path, { bin });
  const [token] = home.tokens;
  const ways = ERAS.map((dialect) => ({ name: `${name}-${dialect}`, dialect, url: daemon.url, token }));
  const stop = async () => {
    await daemon.stop();
    await home.remove();
  };
  return { ...daemon, ways, stop };
}

async function measureStarts(bins, say) {
  const homes = {};
  const ratios = { "start of the daemon": [], "toolkeep --version": [] };
  try {
    for (const [name, bin] of Object.entries(bins))
      homes[name] = await toolkeepHome(serversOf(1, UPSTREAM), { bin });
    for (let round = 0; round < START_ROUNDS; round++) {
      const order = round % 2 === 0 ? ["here", "there"] : ["there", "here"];
      const daemon = {};
      const version = {};
      for (const name of order) {
        daemon[name] = await daemonStart(homes[name].path, bins[name]);
        version[name] = versionTime(bins[name]);
      }
      ratios["start of the daemon"].push(daemon.here / daemon.there);
      ratios["toolkeep --version"].push(version.here / version.there);
    }
    say(`starts: ${START_ROUNDS} rounds`);
    return ratios;
  } finally {
    await Promise.all(Object.values(homes).map((home) => home.remove()));
  }
}

async function daemonStart(home, bin) {
  const daemon = await startToolkeep(home, { bin, pollMs: 2 });
  try {
    await daemon.api("GET", "/status");
    return performance.now() - daemon.startedAt;
  } finally {
    await daemon.stop();
  }
}

function versionTime(bin) {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [bin, "--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${bin} --version ended with ${status}: ${stderr}`);
  return performance.now() - from;
}
