// What a call costs: every contender runs at once and gets the same load in turn, round after round.
import { CONTENDERS, LABELS } from "./contenders.mjs";
import { startGenerator } from "./generator.mjs";
import { prefer } from "./urgency.mjs";

/** The loads of a round, in the order in which they come. `share` is their part of a contender's time in it. */
const LOADS = {
  one: { tools: ["echo"], concurrency: 1, share: 0.25, cpu: true },
  sixteen: { tools: ["echo"], concurrency: 16, share: 0.2, cpu: true },
  thirtyTwo: { tools: ["echo"], concurrency: 32, share: 0.4, cpu: true },
  large: { tools: ["large"], concurrency: 1, share: 0.15 },
};

/**
 * By way, the figures of each load in each round: `{relay: {one: [{p50, p99, perSecond, cpuUs, …}, …], …}, …}`. `turnMs` is the time of one way in
 * one round.
 */
export async function measureCalls({ names, rounds, turnMs, warmUpCalls, profile, urgent, absences, say }) {
  const running = [];
  const generator = startGenerator();
  try {
    for (const name of names) {
      say(`starting ${LABELS[name]}`);
      await absences.unless(name, async () => void running.push(await CONTENDERS[name]({ profile })));
    }
    const ways = running.flatMap((contender) => contender.ways.map((way) => ({ way, contender })));
    for (const { way, contender } of ways) {
      await absences.unless(way.name, async () => {
        await generator.connect(way, contender);
        await warmUp(generator, way, warmUpCalls);
        say(`${LABELS[way.name]} is warm`);
      });
    }
    if (urgent) prefer([process.pid]);
    return await measureRounds({ generator, ways, rounds, turnMs, absences, say });
  } finally {
    await generator.stop();
    await Promise.all(running.map((contender) => contender.stop()));
  }
}

async function warmUp(generator, way, calls) {
  for (const { tools, concurrency } of Object.values(LOADS)) {
    await generator.run(way, { tools, concurrency, calls: tools.includes("large") ? calls / 20 : calls });
  }
}

async function measureRounds({ generator, ways, rounds, turnMs, absences, say }) {
  const noRuns = () => Object.fromEntries(Object.keys(LOADS).map((load) => [load, []]));
  const figures = Object.fromEntries(ways.map(({ way }) => [way.name, noRuns()]));
  const present = () => Object.entries(figures).filter(([name]) => !absences.has(name));
  for (let round = 0; round < rounds; round++) {
    for (const [load, { tools, concurrency, share, cpu = false }] of Object.entries(LOADS)) {
      const what = { tools, concurrency, ms: turnMs * share };
      // Nobody is always first, nor always behind the same one.
      for (const { way, contender } of rotated(ways, round)) {
        const run = await absences.unless(way.name, () =>
          cpu ? generator.runWithCpu(way, contender, what) : generator.run(way, what),
        );
        if (run) figures[way.name][load].push(run);
      }
    }
    say(`round ${round + 1} of ${rounds}: ${present().map(inShort).join("; ")}`);
  }
  return Object.fromEntries(present());
}

function rotated(list, by) {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function inShort([name, { one, thirtyTwo }]) {
  const last = thirtyTwo.at(-1);
  return `${name} ${one.at(-1).p50.toFixed(2)} ms, ${last.perSecond.toFixed(0)}/s, ${last.cpuUs.toFixed(0)} µs`;
}
