import { machine, median } from "../../bench/support/measure.mjs";

const MAX_P95_RATIO = 2;
/** What memory may grow by between the warm-up and the end: a share of it, or this much where that is less. */
const GROWTH = { share: 0.15, mb: 24 };
/** Every way in which a call to a server that misbehaves may end. */
const ENDINGS = ["ok", "failed", "timed_out", "unavailable"];

/** Prints what was seen and what to think of it; true when everything is as it should be. */
export function verdict({ concurrency, rounds, memory, calls, ends, received, left }) {
  const trial = calls.filter(({ bad }) => bad);
  console.log(`\n${machine()}. ${trial.length} calls beside the bad servers, ${concurrency} at a time.\n`);
  console.log(outcomeTable(trial));
  console.log(`\nRSS, MB: ${memory.map(({ rss }) => rss.toFixed(0)).join(" ")}`);
  console.log(`heap, MB: ${memory.map(({ heap }) => heap.toFixed(0)).join(" ")}\n`);

  const checks = [
    ...callChecks({ calls, ends, received }),
    latencyCheck(rounds),
    memoryCheck(memory),
    processCheck(left),
  ];
  for (const [what, holds] of checks) console.log(`${holds ? "✓" : "✗"} ${what}`);
  const failed = checks.filter(([, holds]) => !holds).length;
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  return failed === 0;
}

function callChecks({ calls, ends, received }) {
  const times = ({ nonce }) => received.get(nonce) ?? 0;
  const healthy = calls.filter((call) => call.isHealthy);
  const isEndedOnce = ({ callId }) => ends.get(callId) === 1;
  return [
    ["every call ended exactly once", ends.size === calls.length && calls.every(isEndedOnce)],
    [
      "every call of a healthy server was answered with its own nonce",
      healthy.every(({ outcome, isRight }) => outcome === "ok" && isRight),
    ],
    ["every call of a healthy server was received exactly once", healthy.every((call) => times(call) === 1)],
    ["every call of a bad server has an outcome", calls.every(({ outcome }) => ENDINGS.includes(outcome))],
    ["no call got the answer of another", calls.every(({ outcome, isRight }) => outcome !== "ok" || isRight)],
    ["no call was received twice", calls.every((call) => times(call) <= 1)],
  ];
}

function latencyCheck(rounds) {
  const ratio = median(rounds.map((round) => round.with.p95 / round.without.p95));
  const what = `the healthy servers' p95 was ${ratio.toFixed(2)}x its value without the bad ones`;
  return [`${what}, at most ${MAX_P95_RATIO}x`, ratio <= MAX_P95_RATIO];
}

function memoryCheck(memory) {
  const first = memory[0].rss;
  const growth = memory.at(-1).rss - first;
  const room = Math.max(first * GROWTH.share, GROWTH.mb);
  const what = `RSS grew by ${growth.toFixed(0)} MB since the warm-up`;
  return [`${what}, at most ${room.toFixed(0)} MB`, growth <= room];
}

function processCheck(left) {
  const isNone = left.length === 0;
  return [isNone ? "no process is left" : `processes are left: ${left.join(", ")}`, isNone];
}

function outcomeTable(calls) {
  const groupOf = ({ isHealthy, server }) => (isHealthy ? "the 15 healthy" : server);
  const rows = [...new Set(calls.map(groupOf))].sort().map((group) => {
    const own = calls.filter((call) => groupOf(call) === group);
    const cells = ENDINGS.map((ending) => own.filter(({ outcome }) => outcome === ending).length);
    return `| ${[group, own.length, ...cells].join(" | ")} |`;
  });
  const head = [
    `| server | calls | ${ENDINGS.join(" | ")} |`,
    `|---|---|${ENDINGS.map(() => "---|").join("")}`,
  ];
  return [...head, ...rows].join("\n");
}
