// `npm run bench -- redaction`: what it costs to take known values out of 100 KB of text that has none of them, for many kinds of text. With
// `--against DIST` another build is measured in the same rounds.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Redaction } from "../dist/call/vault/redaction/redaction.js";
import { KINDS, numbers, values } from "./support/redacted-texts.mjs";

const ROUNDS = 60;
/** As many isolates measure, one after the other; the one in the middle counts. */
const ISOLATES = 7;
/** One measurement takes at least so long, so that the clock's steps do not matter. */
const LEAST_MS = 1.5;
/** Of a build and of the one it is measured against. */
const MOST_TIMES = 1.2;
/** Of the yardstick, where nothing is measured against. Generous: it is there to notice a kind of text that becomes many times as slow. */
const MOST_OF_YARDSTICK = 12;

const SETS = [
  { name: "20 values of 16 to 40 characters", values: values(20, 16, 40) },
  { name: "100 values of 16 to 40 characters", values: values(100, 16, 40) },
  { name: "20 values of 8 characters", values: values(20, 8, 8) },
];

export async function bench({ against, rounds = `${ROUNDS}` } = {}) {
  const runs = [];
  for (let isolate = 0; isolate < ISOLATES; isolate++)
    runs.push(await measureInIsolate({ against, rounds: Number(rounds) }));
  const sets = runs[0].map(({ name, kinds }, set) => ({
    name,
    kinds: kinds.map(({ kind }, at) => ({ kind, ...middleOf(runs.map((run) => run[set].kinds[at])) })),
  }));
  return { sets, against: against !== undefined };
}

/** In an isolate of its own: how well the compiler guesses differs from one to the next, by a fifth at times. */
function measureInIsolate(workerData) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

async function measure({ against, rounds }) {
  const other = against && (await import(pathToFileURL(redactionFile(against)).href)).Redaction;
  return SETS.map(({ name, values }) => {
    const ways = { here: redactionOf(Redaction, values) };
    if (other) ways.other = redactionOf(other, values);
    const kinds = Object.entries(KINDS).map(([kind, make]) => {
      const text = make(numbers(kind.length));
      return { kind, ...least({ ...ways, yardstick }, text, rounds) };
    });
    return { name, kinds };
  });
}

/** The run in the middle by what is compared, with its range. */
function middleOf(runs) {
  const times = ({ here, other, yardstick }) => here / (other ?? yardstick);
  const sorted = runs.toSorted((a, b) => times(a) - times(b));
  const range = [times(sorted[0]), times(sorted.at(-1))];
  return { ...sorted[(sorted.length - 1) / 2], range };
}

export function toMarkdown({ sets, against }) {
  return sets
    .map(({ name, kinds }) => {
      const head = [
        "100 KB of",
        "µs",
        "of the yardstick",
        ...(against ? ["the other build, µs", "of the other build", "from, to"] : []),
      ];
      const rows = kinds.map(({ kind, here, other, yardstick, range }) => [
        kind,
        here.toFixed(0),
        `${(here / yardstick).toFixed(2)}x`,
        ...(against
          ? [
              other.toFixed(0),
              `${(here / other).toFixed(2)}x`,
              range.map((times) => `${times.toFixed(2)}x`).join(", "),
            ]
          : []),
      ]);
      const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
      return `${name}:\n\n${table.join("\n")}\n`;
    })
    .join("\n");
}

export function missed({ sets, against }, { check }) {
  if (!check) return [];
  // The bar was set for the first set; the others are there to be looked at.
  return sets[0].kinds.flatMap(({ kind, here, other, yardstick }) => {
    const [times, most] = against ? [here / other, MOST_TIMES] : [here / yardstick, MOST_OF_YARDSTICK];
    return times > most ? [`100 KB of ${kind} cost ${times.toFixed(2)}x, more than ${most}x`] : [];
  });
}

/** Builds before the house was laid out anew have it elsewhere. */
function redactionFile(dist) {
  const file = resolve(dist, "call/vault/redaction/redaction.js");
  return existsSync(file) ? file : resolve(dist, "vault/redaction.js");
}

function redactionOf(Class, values) {
  const redaction = new Class();
  for (const value of values) redaction.add(value);
  return (text) => redaction.apply(text).length;
}

/** A plain loop that looks at every eighth character: what a computer takes to step through a text, whatever stands in it. */
function yardstick(text) {
  let sum = 0;
  for (let at = 0; at < text.length; at += 8) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return sum;
}

/** The least that each way took, in µs, over rounds in which each has its turn. */
function least(ways, text, rounds) {
  const names = Object.keys(ways);
  const counts = {};
  for (const name of names) {
    for (let warm = 0; warm < 30; warm++) ways[name](text);
    const from = performance.now();
    for (let warm = 0; warm < 10; warm++) ways[name](text);
    counts[name] = Math.max(1, Math.ceil((LEAST_MS * 10) / (performance.now() - from)));
  }
  const best = {};
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const from = performance.now();
      for (let count = 0; count < counts[name]; count++) ways[name](text);
      const each = ((performance.now() - from) * 1_000) / counts[name];
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, each);
    }
  return best;
}

if (!isMainThread) parentPort.postMessage(await measure(workerData));
