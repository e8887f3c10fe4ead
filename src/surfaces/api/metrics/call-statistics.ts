import type { Catalog } from "../../../call/catalog/catalog.ts";
import type { EventMap, Events } from "../../../contract/events.ts";
import { type OutcomeName, REFUSED_OUTCOMES } from "../../../contract/tool.ts";
import { type Clock, systemClock } from "../../../lib/clock.ts";
import type { CallMinute, ServerLatency } from "../daemon/contract.ts";
import type { Metric, Sample } from "./prometheus.ts";

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Durations are counted in steps of a fifth: a p95 out of them is that exact. */
const STEP = 1.2;
const STEPS = 96;
/** So many calls of a server are looked at. */
const KEPT = 64;
/** Servers come and go; of more than these there are no latencies. */
const MAX_SERVERS = 1_000;
const SERVER = "mcp:";

/** Something went wrong, as opposed to somebody not being allowed. */
const FAILED: ReadonlySet<OutcomeName> = new Set(["failed", "timed_out", "unavailable", "internal_error"]);
interface Minute {
  /** Minutes since the epoch; what was counted for another is old. */
  number: number;
  calls: number;
  failed: number;
  refused: number;
  readonly steps: Uint32Array;
}

interface Recent {
  readonly durations: Float64Array;
  calls: number;
}

/** Calls are timed in whole milliseconds. */
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 600_000];
/** So many origins get numbers of their own; servers come and go, and a series stays for good. */
const MAX_ORIGINS = 200;
const OTHER = "other";
/** What was called is no tool. */
const NONE = "none";

interface Origin {
  readonly outcomes: Map<OutcomeName, number>;
  /** One more than the buckets: what took longer than all of them. */
  readonly buckets: Float64Array;
  sumMs: number;
}

/**
 * Counts the calls that ended: by the origin of their tool and their outcome since the start, minute by minute for the
 * last hour, and how quick each server was lately. Of fixed size, and the only listener that every call has.
 */
export class CallStatistics {
  readonly #clock: Clock;
  readonly #catalog: Pick<Catalog, "get">;
  readonly #stop: () => void;
  readonly #minutes: Minute[] = Array.from({ length: MINUTES }, () => ({
    number: 0,
    calls: 0,
    failed: 0,
    refused: 0,
    steps: new Uint32Array(STEPS),
  }));
  readonly #servers = new Map<string, Recent>();
  readonly #origins = new Map<string, Origin>();

  constructor(events: Events, catalog: Pick<Catalog, "get">, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#catalog = catalog;
    this.#stop = events.on("call.ended", (call) => this.#ended(call));
  }

  /** Sixty, oldest first; the last is the one that is under way. */
  minutes(): CallMinute[] {
    const now = Math.floor(this.#clock() / MINUTE_MS);
    return Array.from({ length: MINUTES }, (_, index) => {
      const number = now - MINUTES + 1 + index;
      const at = number * MINUTE_MS;
      const minute = this.#minutes[number % MINUTES]!;
      if (minute.number !== number) return { at, calls: 0, failed: 0, refused: 0, p95Ms: null };
      const { calls, failed, refused, steps } = minute;
      return { at, calls, failed, refused, p95Ms: percentile(steps, calls) };
    });
  }

  latencies(): ServerLatency[] {
    return [...this.#servers].map(([server, { durations, calls }]) => {
      const sorted = durations.slice(0, Math.min(calls, KEPT)).sort();
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
      return { server, calls, medianMs: at(0.5), p95Ms: at(0.95) };
    });
  }

  metrics(): Metric[] {
    const origins = [...this.#origins];
    return [
      {
        name: "toolkeep_calls_total",
        kind: "counter",
        help: "Calls that ended, by the origin of their tool and their outcome.",
        samples: origins.flatMap(([origin, { outcomes }]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { origin, outcome }, value })),
        ),
      },
      {
        name: "toolkeep_call_duration_seconds",
        kind: "histogram",
        help: "How long calls took, by the origin of their tool.",
        samples: origins.flatMap(([origin, counted]) => histogram(origin, counted)),
      },
    ];
  }

  close(): void {
    this.#stop();
  }

  #ended({ tool, outcome, durationMs }: EventMap["call.ended"]): void {
    const origin = this.#catalog.get(tool)?.origin ?? NONE;
    this.#countIn(this.#origin(origin), outcome, durationMs);
    const minute = this.#minute();
    minute.calls += 1;
    if (FAILED.has(outcome)) minute.failed += 1;
    else if (REFUSED_OUTCOMES.has(outcome)) minute.refused += 1;
    minute.steps[stepOf(durationMs)]! += 1;
    if (outcome === "ok" || outcome === "failed") this.#served(origin, durationMs);
  }

  #countIn(counted: Origin, outcome: OutcomeName, durationMs: number): void {
    counted.outcomes.set(outcome, (counted.outcomes.get(outcome) ?? 0) + 1);
    counted.sumMs += durationMs;
    const bucket = BUCKETS_MS.findIndex((limit) => durationMs <= limit);
    counted.buckets[bucket === -1 ? BUCKETS_MS.length : bucket]! += 1;
  }

  #origin(name: string): Origin {
    const known = this.#origins.get(name);
    if (known) return known;
    if (this.#origins.size >= MAX_ORIGINS && name !== OTHER) return this.#origin(OTHER);
    const origin = { outcomes: new Map(), buckets: new Float64Array(BUCKETS_MS.length + 1), sumMs: 0 };
    this.#origins.set(name, origin);
    return origin;
  }

  #served(origin: string, durationMs: number): void {
    if (!origin.startsWith(SERVER)) return;
    const name = origin.slice(SERVER.length);
    let recent = this.#servers.get(name);
    if (!recent) {
      if (this.#servers.size >= MAX_SERVERS) return;
      recent = { durations: new Float64Array(KEPT), calls: 0 };
      this.#servers.set(name, recent);
    }
    recent.durations[recent.calls % KEPT] = durationMs;
    recent.calls += 1;
  }

  #minute(): Minute {
    const number = Math.floor(this.#clock() / MINUTE_MS);
    const minute = this.#minutes[number % MINUTES]!;
    if (minute.number !== number) {
      Object.assign(minute, { number, calls: 0, failed: 0, refused: 0 });
      minute.steps.fill(0);
    }
    return minute;
  }
}

function stepOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(STEPS - 1, Math.ceil(Math.log(ms) / Math.log(STEP)));
}

/** The upper end of the step in which the 95th of a hundred calls lies. */
function percentile(steps: Uint32Array, calls: number): number | null {
  if (calls === 0) return null;
  let left = Math.ceil(calls * 0.95);
  const step = steps.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return Math.round(STEP ** step);
}

function histogram(origin: string, { buckets, sumMs }: Origin): Sample[] {
  let count = 0;
  const samples: Sample[] = [...BUCKETS_MS, Number.POSITIVE_INFINITY].map((limitMs, index) => {
    count += buckets[index]!;
    const le = limitMs === Number.POSITIVE_INFINITY ? "+Inf" : String(limitMs / 1_000);
    return { suffix: "_bucket", labels: { origin, le }, value: count };
  });
  return [
    ...samples,
    { suffix: "_sum", labels: { origin }, value: sumMs / 1_000 },
    { suffix: "_count", labels: { origin }, value: count },
  ];
}
