import { expect, test } from "vitest";
import { Redaction } from "../../../../src/call/vault/redaction/redaction.ts";
import { unquoted } from "../../../../src/call/vault/redaction/unquote.ts";

/** What escapes, quotes, lines, base64 and hex are made of. */
const SPECIAL = [..."\\%&=\"'\n\r\t #;{>|:-+/0aAux"];
const SHORT = 4_000;
const LONG = 200_000;
/** So many of the slowest are looked at in full. */
const SLOWEST = 12;
/** Of what it takes to undo the escapes of a text of that size once. A text that is read again and again takes hundreds. */
const MOST_TIMES = 24;
const ROUNDS = 10;
const RANDOM = 300;

const VALUES = {
  "a plain value": ["Zk29-dLm4_Qp7TsW"],
  "a value with everything in it": ["Zk29-dLm4_Qp7TsW", `p@ss "w'rd"+<>&%\\`],
  "the shortest values": ["abc'12", 'x"yz\n0', "&%\\=+/"],
};

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

function* patterns(): Iterable<string> {
  for (const a of SPECIAL) {
    yield a;
    for (const b of SPECIAL) {
      yield a + b;
      for (const c of SPECIAL) yield a + b + c;
    }
  }
  yield* ["&amp;", "amp;", "%25", "\\u0041", "\\u{41}", "&#39;", "&#x41;", "=3D", "=\r\n", "'\\''", `'"'"'`];
  const next = numbers(3);
  for (let count = 0; count < RANDOM; count++)
    yield Array.from({ length: 4 + next(12) }, () => SPECIAL[next(SPECIAL.length)]).join("");
}

const filled = (pattern: string, size: number) => pattern.repeat(Math.ceil(size / pattern.length));

function timeOf(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

/** In ms, of which others on the same machine take none away; of many rounds, as the clock has long steps. */
function cpuOf(work: () => void): number {
  const from = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000 / ROUNDS;
}

test.each(Object.entries(VALUES))(
  "no text of special characters keeps redaction of %s busy",
  { timeout: 600_000 },
  (_, values) => {
    const redaction = new Redaction();
    for (const value of values) redaction.add(value);
    const times = [...patterns()].map((pattern) => {
      const text = filled(pattern, SHORT);
      const apply = () => redaction.apply(text);
      return { pattern, time: Math.min(timeOf(apply), timeOf(apply)) };
    });
    const slowest = times.sort((a, b) => b.time - a.time).slice(0, SLOWEST);
    const yardstick = filled("plain words, \\u0041 %25 &amp; ", LONG);
    const yardstickCpu = cpuOf(() => unquoted(yardstick));
    const found = slowest.map(({ pattern }) => {
      const text = filled(pattern, LONG);
      const cpu = cpuOf(() => redaction.apply(text));
      return { pattern, cpu, times: cpu / yardstickCpu };
    });
    const most = found.reduce((a, b) => (a.times > b.times ? a : b));
    console.info(
      `${JSON.stringify(most.pattern)}: ${most.cpu.toFixed(1)} ms, ${most.times.toFixed(1)} times the yardstick`,
    );
    expect(found.filter(({ times }) => times > MOST_TIMES)).toEqual([]);
  },
);
