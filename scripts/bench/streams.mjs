// `npm run bench -- streams`: what many clients with open streams do to the calls of everybody.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { machine } from "../../bench/support/measure.mjs";
import { serversOf, UPSTREAM } from "./contenders.mjs";
import { median } from "./median.mjs";
import { rssMb } from "./process-figures.mjs";
import { startToolkeep, toolkeepHome } from "./toolkeep.mjs";
import { prefer } from "./urgency.mjs";

const CLIENTS = 500;
/** A token may have a hundred sessions. */
const TOKENS = 6;
const FEW = 10;
const PER_SECOND = 50;
const ROUNDS = 5;
const MINUTES = 5;
/** Ten times as many calls a second before it begins, until memory has the size that this work needs. */
const WARM_UP = { seconds: 10, perSecond: 500 };
const SAMPLE_MS = 1_000;
/** Within this long every client has heard of a change of its list. */
const TOLD_MS = 10_000;
/** What telling them left to do must not fall into the next round. */
const SETTLE_MS = 2_000;

const BARS = { ratio: 2, growth: 0.1 };

export async function bench({ minutes = MINUTES, quick = false, urgent = false } = {}, say = console.error) {
  const total = quick ? 1 : Number(minutes);
  if (!(total > 0)) throw new Error(`--minutes ${minutes}: expected a number above 0`);
  const homes = [];
  const daemons = [];
  const clients = startClients();
  try {
    for (let i = 0; i < 2; i++) {
      homes.push(await toolkeepHome(serversOf(1, UPSTREAM), { tokens: TOKENS }));
      daemons.push(await startToolkeep(homes[i].path));
      await daemons[i].api("GET", "/status");
    }
    const [withStreams, without] = daemons;
    await clients.order({
      op: "open",
      group: "without",
      url: without.url,
      tokens: homes[1].tokens,
      clients: FEW,
      streams: false,
    });
    const open = {
      group: "streams",
      url: withStreams.url,
      tokens: homes[0].tokens,
      clients: CLIENTS,
      streams: true,
    };
    const from = performance.now();
    await clients.order({ op: "open", ...open });
    say(`${CLIENTS} streams opened in ${((performance.now() - from) / 1_000).toFixed(1)} s; warming up`);
    await clients.order({ op: "call", ...WARM_UP });
    if (urgent) prefer([process.pid]);
    const rounds = await measureRounds({ clients, daemon: withStreams, seconds: (total * 60) / ROUNDS, say });
    await clients.order({ op: "close" });
    return { machine: machine(), minutes: total, rounds, targets: targetsOf(rounds) };
  } finally {
    await clients.stop();
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await Promise.all(homes.map((home) => home.remove()));
  }
}

export function missed({ targets }, { check = false } = {}) {
  return check
    ? targets.filter(({ ok }) => !ok).map(({ what, measured, bar }) => `${what}: ${measured}, bar ${bar}`)
    : [];
}

export function toMarkdown({ machine, minutes, rounds, targets }) {
  const row = ({ streams, without, rss, told }, i) =>
    `| ${i + 1} | ${streams.p50.toFixed(2)} / ${streams.p95.toFixed(2)} ms | ${without.p50.toFixed(2)} / ${without.p95.toFixed(2)} ms | ${(streams.p95 / without.p95).toFixed(2)}x | ${told} | ${rss.toFixed(0)} MB |`;
  return `## Streams: ${CLIENTS} clients with an open stream, ${PER_SECOND} calls a second, ${minutes} minutes

${machine}.

| round | p50 / p95 with streams | without | ratio of p95 | clients told of a change | RSS |
|---|---|---|---|---|---|
${rounds.map(row).join("\n")}

| target | measured | bar | ok |
|---|---|---|---|
${targets.map(({ what, measured, bar, ok }) => `| ${what} | ${measured} | ${bar} | ${ok ? "yes" : "no"} |`).join("\n")}
`;
}

async function measureRounds({ clients, daemon, seconds, say }) {
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const samples = [];
    const sampling = setInterval(() => samples.push(rssMb(daemon.pid)), SAMPLE_MS);
    const { groups } = await clients
      .order({ op: "call", seconds, perSecond: PER_SECOND })
      .finally(() => clearInterval(sampling));
    const rss = median(samples);
    // The streams must not only be open: what is sent on them has to arrive.
    await daemon.api("PATCH", "/toolboxes/bench", { tools: [round % 2 === 1 ? "mcp:*:echo" : "mcp:*"] });
    const { told } = await clients.order({ op: "told", group: "streams", ms: TOLD_MS });
    await delay(SETTLE_MS);
    rounds.push({ ...groups, rss, told });
    const { streams, without } = groups;
    for (const error of [...streams.errors, ...without.errors]) say(`an error: ${error}`);
    say(
      `round ${round} of ${ROUNDS}: p95 ${streams.p95.toFixed(2)} ms, without streams ${without.p95.toFixed(2)} ms; ${streams.failed + without.failed} errors; ${told} clients told; RSS ${rss.toFixed(0)} MB`,
    );
  }
  return rounds;
}

function targetsOf(rounds) {
  const ratio = median(rounds.map(({ streams, without }) => streams.p95 / without.p95));
  const errors = rounds.reduce((sum, { streams, without }) => sum + streams.failed + without.failed, 0);
  const ended = Math.max(...rounds.map(({ streams }) => streams.ended));
  const told = Math.min(...rounds.map((round) => round.told));
  const growth = rounds.at(-1).rss / rounds[0].rss - 1;
  return [
    { what: "errors", measured: String(errors), bar: "0", ok: errors === 0 },
    { what: "streams that ended", measured: String(ended), bar: "0", ok: ended === 0 },
    {
      what: "clients told of a changed list",
      measured: String(told),
      bar: String(CLIENTS),
      ok: told === CLIENTS,
    },
    {
      what: "p95 of its value without the streams",
      measured: `${ratio.toFixed(2)}x`,
      bar: `≤ ${BARS.ratio}x`,
      ok: ratio <= BARS.ratio,
    },
    {
      what: "RSS, last round above the first",
      measured: `${(growth * 100).toFixed(1)} %`,
      bar: `≤ ${BARS.growth * 100} %`,
      ok: growth <= BARS.growth,
    },
  ];
}

function startClients() {
  const child = fork(fileURLToPath(new URL("stream-clients.mjs", import.meta.url)), { stdio: "inherit" });
  return {
    order: async (what) => {
      child.send(what);
      const [answer] = await once(child, "message");
      if (!answer.ok) throw new Error(answer.error);
      return answer;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
