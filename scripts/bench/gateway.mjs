// `npm run bench -- gateway`: what Toolkeep costs beside the least that is possible, a plain gateway on the SDK, and other gateways.
import { existsSync } from "node:fs";
import { machine } from "../../bench/support/measure.mjs";
import { Absences } from "./absences.mjs";
import { measureCalls } from "./calls.mjs";
import { CONTENDERS, LABELS, PEERS } from "./contenders.mjs";
import { median } from "./median.mjs";
import { measureMemory } from "./memory.mjs";
import { measureStarts, START_LABELS } from "./starts.mjs";
import { cpuOf, targetsOf } from "./targets.mjs";

const PARTS = ["calls", "memory", "starts"];
const FULL = {
  rounds: 10,
  turnMs: 3_000,
  warmUpCalls: 3_000,
  loadCalls: 8_000,
  loadRounds: 3,
  startRounds: 3,
  counts: [1, 10, 30],
};
const QUICK = {
  rounds: 3,
  turnMs: 1_600,
  warmUpCalls: 2_000,
  loadCalls: 5_000,
  loadRounds: 1,
  startRounds: 1,
  counts: [1, 30],
};
/** The two whose memory is compared; the others are only shown. */
const COMPARED = ["relay", "toolkeep"];

/** `options` are the switches of the command line; `say` gets a line of progress. */
export async function bench(
  { quick = false, rounds, only, parts, profile, urgent = false } = {},
  say = console.error,
) {
  if (!existsSync("/proc/self/schedstat"))
    throw new Error("this benchmark reads /proc and therefore needs Linux");
  if (rounds !== undefined && !/^[1-9]\d{0,2}$/.test(rounds))
    throw new Error(`--rounds ${rounds}: expected a whole number from 1 to 999`);
  const plan = { ...(quick ? QUICK : FULL), ...(rounds === undefined ? {} : { rounds: Number(rounds) }) };
  const names = chosen("--only", only, Object.keys(CONTENDERS));
  const todo = chosen("--parts", parts, PARTS);
  const absences = new Absences(say);
  const isPartial = only !== undefined || parts !== undefined;
  const result = { machine: machine(), plan };
  if (todo.includes("calls"))
    result.calls = await measureCalls({ ...plan, names, profile, urgent, absences, say });
  if (todo.includes("memory"))
    result.memory = await measureMemory({ ...memoryPlan(plan, names, quick), absences, say });
  if (todo.includes("starts"))
    result.starts = await measureStarts({ ...startPlan(plan, names, quick), absences, say });
  // Who asks for a part is not told what else there is.
  const targets = targetsOf(result).filter(({ ok }) => ok !== undefined || !isPartial);
  return { ...result, leftOut: absences.reasons(), targets };
}

/** The bars that a result misses, or could not be held against; they count only with `--check`. */
export function missed({ targets }, { check = false } = {}) {
  if (!check) return [];
  return targets
    .filter(({ ok }) => ok !== true)
    .map((target) => `${target.what}: ${shown(target)}, bar ${target.bar}${target.unit}`);
}

export function toMarkdown({ machine, plan, calls, leftOut = {}, memory, starts, targets }) {
  const sections = [
    `## Gateway\n\n${machine}. ${plan.rounds} interleaved rounds; medians of the rounds.`,
    ...Object.entries(leftOut).map(([name, why]) => `Left out: ${LABELS[name]}: ${why}`),
    ...(calls ? [callsTable(calls)] : []),
    ...(memory ? [memoryTable(memory)] : []),
    ...(starts ? [startsTable(starts, plan.counts)] : []),
    targetsTable(targets),
  ];
  return `${sections.join("\n\n")}\n`;
}

function memoryPlan({ loadCalls, loadRounds }, names, quick) {
  const roundsOf = (name) => (COMPARED.includes(name) ? loadRounds : 1);
  return {
    names: quick ? names.filter((name) => COMPARED.includes(name)) : names,
    roundsOf,
    calls: loadCalls,
  };
}

function startPlan({ counts, startRounds }, names, quick) {
  const own = names.includes("toolkeep") ? ["toolkeep-lazy", "toolkeep-eager"] : [];
  const peers = names.filter((name) => (quick ? name === "mcp-hub" : PEERS.includes(name)));
  const isOneEach = (name) => name === "mcp-proxy" || name === "supergateway";
  const roundsOf = (name, count) => (isOneEach(name) && count > 1 ? 1 : startRounds);
  return { names: [...own, ...peers], counts, roundsOf };
}

function callsTable(calls) {
  const rows = Object.entries(calls).map(([name, loads]) => {
    const of = (load, figure) => median(loads[load].map((run) => run[figure]));
    const ms = (load, figure) => `${of(load, figure).toFixed(2)} ms`;
    return [
      LABELS[name],
      ms("one", "p50"),
      ms("one", "p99"),
      ms("sixteen", "p50"),
      ms("sixteen", "p99"),
      of("thirtyTwo", "perSecond").toFixed(0),
      ms("large", "p50"),
      median(cpuOf(loads)).toFixed(0),
      of("one", "cpuUs").toFixed(0),
      of("thirtyTwo", "cpuUs").toFixed(0),
    ];
  });
  return table(
    [
      "way",
      "p50 at 1",
      "p99 at 1",
      "p50 at 16",
      "p99 at 16",
      "calls/s at 32",
      "100 KB, p50 at 1",
      "CPU µs a call",
      "at 1",
      "at 32",
    ],
    rows,
  );
}

function memoryTable(memory) {
  const rows = Object.entries(memory).map(([name, rounds]) => {
    const of = (figure) => `${median(rounds.map((run) => run[figure])).toFixed(0)} MB`;
    return [LABELS[name], of("idle"), of("first"), of("second")];
  });
  return table(["RSS, children not counted", "idle", "under a load", "under the same again"], rows);
}

function startsTable(starts, counts) {
  const rows = Object.entries(starts).map(([name, byCount]) => {
    const of = (count, figure) => median(byCount[count].map((run) => run[figure]));
    const last = counts.at(-1);
    return [
      START_LABELS[name],
      ...counts.map((count) => `${(of(count, "readyMs") / 1_000).toFixed(2)} s`),
      `${of(last, "rssMb").toFixed(0)} MB`,
      of(last, "processes").toFixed(0),
    ];
  });
  const last = counts.at(-1);
  return table(["ready with", ...counts.map(String), `RSS of all processes with ${last}`, "processes"], rows);
}

function targetsTable(targets) {
  const answer = new Map([
    [true, "yes"],
    [false, "no"],
    [undefined, "–"],
  ]);
  const rows = targets.map((target) => [
    target.what,
    shown(target),
    `${target.bar}${target.unit}`,
    answer.get(target.ok),
  ]);
  return table(["target", "measured", "bar", "ok"], rows);
}

function shown({ measured, unit }) {
  return measured === undefined ? "not measured" : `${measured.toFixed(2)}${unit}`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function chosen(option, value, known) {
  if (value === undefined) return known;
  const names = value.split(",");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`${option} ${unknown.join(",")}: expected some of ${known.join(", ")}`);
  return known.filter((name) => names.includes(name));
}
