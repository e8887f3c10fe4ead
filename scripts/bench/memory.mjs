// What a load leaves behind in memory: each contender anew, at rest, under a load, and under the same load again.
import { setTimeout as delay } from "node:timers/promises";
import { CONTENDERS, LABELS } from "./contenders.mjs";
import { startGenerator } from "./generator.mjs";
import { median } from "./median.mjs";
import { rssMb } from "./process-figures.mjs";

/** One result in ten is a large one: it is those that make memory grow. */
const LOAD = { tools: [...Array(9).fill("echo"), "large"], concurrency: 32 };
const FIRST_CALLS = 50;
/** After this long, what came with the start is over. */
const REST_MS = 1_500;
const SAMPLE_MS = 20;

/** By contender, for each round, the megabytes at rest and under each of two identical loads of `calls` calls. */
export async function measureMemory({ names, roundsOf, calls, absences, say }) {
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  const most = Math.max(...names.map(roundsOf));
  for (let round = 0; round < most; round++) {
    for (const name of names.filter((one) => round < roundsOf(one))) {
      const seen = await absences.unless(name, () => measureOne(name, calls));
      if (!seen) continue;
      figures[name].push(seen);
      const { idle, first, second } = seen;
      say(
        `memory of ${LABELS[name]}: ${idle.toFixed(0)} MB, loaded ${first.toFixed(0)} MB, again ${second.toFixed(0)} MB`,
      );
    }
  }
  return Object.fromEntries(Object.entries(figures).filter(([, rounds]) => rounds.length > 0));
}

async function measureOne(name, calls) {
  const contender = await CONTENDERS[name]({});
  const generator = startGenerator();
  try {
    const [way] = contender.ways;
    await generator.connect(way, contender);
    const underLoad = () => medianRss(contender.pid, () => generator.run(way, { ...LOAD, calls }));
    await generator.run(way, { ...LOAD, calls: FIRST_CALLS });
    await delay(REST_MS);
    const idle = rssMb(contender.pid);
    return { idle, first: await underLoad(), second: await underLoad() };
  } finally {
    await generator.stop();
    await contender.stop();
  }
}

/**
 * While `work` is under way, in the second half of it: a single look would only tell how long ago garbage was last collected, and the first half
 * is still the way up.
 */
async function medianRss(pid, work) {
  const samples = [];
  const sampling = setInterval(() => samples.push(rssMb(pid)), SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return median(samples.slice(samples.length / 2));
}
