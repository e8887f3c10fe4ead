import type { Catalog } from "../../../call/catalog/catalog.ts";
import type { EventMap, Events } from "../../../contract/events.ts";
import type { OutcomeName } from "../../../contract/tool.ts";
import type { Metric, Sample } from "./prometheus.ts";

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

/** Counts the calls by where their tool comes from and how they ended. Costs a call two lookups. */
export class CallMetrics {
  readonly #catalog: Pick<Catalog, "get">;
  readonly #origins = new Map<string, Origin>();
  readonly #stop: () => void;

  constructor(events: Events, catalog: Pick<Catalog, "get">) {
    this.#catalog = catalog;
    this.#stop = events.on("call.ended", (call) => this.#ended(call));
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
    const origin = this.#origin(this.#catalog.get(tool)?.origin ?? NONE);
    origin.outcomes.set(outcome, (origin.outcomes.get(outcome) ?? 0) + 1);
    origin.sumMs += durationMs;
    const bucket = BUCKETS_MS.findIndex((limit) => durationMs <= limit);
    origin.buckets[bucket === -1 ? BUCKETS_MS.length : bucket]! += 1;
  }

  #origin(name: string): Origin {
    const known = this.#origins.get(name);
    if (known) return known;
    if (this.#origins.size >= MAX_ORIGINS && name !== OTHER) return this.#origin(OTHER);
    const origin = { outcomes: new Map(), buckets: new Float64Array(BUCKETS_MS.length + 1), sumMs: 0 };
    this.#origins.set(name, origin);
    return origin;
  }
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
