// The bars of the gateway, as ratios within one run: a machine that slows down does so for everybody alike.
import { PEERS } from "./contenders.mjs";
import { median } from "./median.mjs";

const MANY = 30;

/** Each with what was measured and whether the bar was met; both undefined where one side of it was not measured. */
export function targetsOf({ calls, memory, starts }) {
  const targets = [...ofCalls(calls ?? {}), ...ofStarts(starts ?? {}), ...ofMemory(memory ?? {})];
  return targets.map((target) =>
    Number.isFinite(target.measured) ? target : { ...target, measured: undefined, ok: undefined },
  );
}

function ofCalls(rounds) {
  const series = (name, load, figure) => rounds[name]?.[load].map((run) => run[figure]);
  const against = (other, load, figure) =>
    ratio(series("toolkeep", load, figure), series(other, load, figure));
  const quickest = best(rounds, (name) => middle(series(name, "one", "p50")));
  const busiest = best(rounds, (name) => -middle(series(name, "thirtyTwo", "perSecond")));
  const cpuAgainst = (other) => ratio(cpuOf(rounds.toolkeep), cpuOf(rounds[other]));
  return [
    atMost("CPU a call, of the relay's", cpuAgainst("relay"), 3),
    atMost("CPU a call, of the plain SDK gateway's", cpuAgainst("sdk"), 0.3),
    atMost(`p50 at 1, ${ofBest(quickest)}`, against(quickest, "one", "p50"), 0.7),
    atLeast(`calls a second at 32, ${ofBest(busiest)}`, against(busiest, "thirtyTwo", "perSecond"), 2),
  ];
}

/** For each round the CPU of its small calls, at 1, 16 and 32, divided by their number. */
export function cpuOf(loads) {
  return loads?.one.map((_, round) => {
    const runs = [loads.one, loads.sixteen, loads.thirtyTwo].map((runsOfLoad) => runsOfLoad[round]);
    const sum = (value) => runs.reduce((total, run) => total + value(run), 0);
    return sum((run) => run.cpuUs * run.calls) / sum((run) => run.calls);
  });
}

function ofStarts(starts) {
  const of = (name, figure) => starts[name]?.[MANY]?.map((run) => run[figure]);
  const bar = (what, name, figure, most) => {
    const peer = best(starts, (one) => middle(of(one, figure)));
    return atMost(`${what}, ${ofBest(peer)}`, middle(of(name, figure)) / middle(of(peer, figure)), most);
  };
  return [
    bar(`ready with ${MANY} servers`, "toolkeep-lazy", "readyMs", 0.2),
    bar(`memory with ${MANY} servers`, "toolkeep-lazy", "rssMb", 0.1),
    bar(`ready with ${MANY} servers, eager`, "toolkeep-eager", "readyMs", 1.1),
    bar(`memory with ${MANY} servers, eager`, "toolkeep-eager", "rssMb", 1.1),
  ];
}

function ofMemory({ relay, toolkeep }) {
  // The first load may be over before the heap has the size that such work needs.
  const growth = (rounds) => middle(rounds?.map(({ idle, first, second }) => Math.max(first, second) - idle));
  const again = middle(toolkeep?.map(({ first, second }) => second / first - 1));
  return [
    atMost("growth of RSS under load, of the relay's", growth(toolkeep) / growth(relay), 1.5),
    { ...atMost("RSS added by a second identical load", again * 100, 10), unit: "%" },
  ];
}

/** The peer for which `value` is least. Undefined without peers. */
function best(measured, value) {
  const candidates = PEERS.filter((name) => measured[name] !== undefined && Number.isFinite(value(name)));
  return candidates.sort((a, b) => value(a) - value(b))[0];
}

/** The median of the rounds' ratios. */
function ratio(own, others) {
  return own && others ? median(own.map((value, round) => value / others[round])) : Number.NaN;
}

function middle(values) {
  return median(values ?? []);
}

function ofBest(peer) {
  return peer === undefined ? "of the best peer's" : `of the best peer's (${peer})`;
}

function atMost(what, measured, bar) {
  return { what, measured, bar: `≤ ${bar}`, ok: measured <= bar, unit: "x" };
}

function atLeast(what, measured, bar) {
  return { what, measured, bar: `≥ ${bar}`, ok: measured >= bar, unit: "x" };
}
