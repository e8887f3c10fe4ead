/** The text that Prometheus reads, written by hand: a few dozen numbers want no library beside the path of a call. */

export type MetricKind = "counter" | "gauge" | "histogram";

export interface Sample {
  /** After the metric's own name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly kind: MetricKind;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A metric of one number. */
export function single(name: string, kind: "counter" | "gauge", help: string, value: number): Metric {
  return { name, kind, help, samples: [{ value }] };
}

export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join("");
}

function metricText({ name, kind, help, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${kind}\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return Number.isNaN(value) ? "NaN" : String(value);
}
