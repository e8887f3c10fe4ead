/** Spans, sent as OTLP over HTTP in JSON: all that is needed of OpenTelemetry here. */

import type { Result } from "../../lib/result.ts";

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** As OTLP numbers them: 1 internal, 2 server. */
  readonly kind: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface SpanSink {
  add(spans: readonly Span[]): void;
}

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OtlpDeps {
  /** Asked anew for every batch; undefined: nothing is sent. */
  readonly target: () => Promise<OtlpTarget | undefined>;
  readonly fetch: typeof fetch;
  readonly version: string;
  /** Told once until it works again. */
  readonly onProblem: (error: unknown) => void;
}

const MAX_WAITING = 4_096;
const BATCH = 512;
const EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** Sends spans in batches off the path of a call. What cannot be sent, or comes too fast, is dropped and counted. */
export class OtlpExporter implements SpanSink {
  readonly #deps: OtlpDeps;
  #waiting: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #isFailing = false;

  constructor(deps: OtlpDeps) {
    this.#deps = deps;
  }

  get dropped(): number {
    return this.#dropped;
  }

  add(spans: readonly Span[]): void {
    if (this.#waiting.length + spans.length > MAX_WAITING) {
      this.#dropped += spans.length;
      return;
    }
    this.#waiting.push(...spans);
    if (this.#waiting.length >= BATCH) void this.flush();
    else if (!this.#timer) this.#timer = setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Resolves when what waits was sent or dropped. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        const target = await this.#deps.target();
        if (target) await this.#send(batch, target);
        this.#isFailing = false;
      } catch (error) {
        this.#dropped += batch.length;
        if (!this.#isFailing) this.#deps.onProblem(error);
        this.#isFailing = true;
      }
    }
  }

  async #send(batch: readonly Span[], { url, headers }: OtlpTarget): Promise<void> {
    const response = await this.#deps.fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(payload(batch, this.#deps.version)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "error",
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered with status ${response.status}`);
  }
}

/** Undefined: nothing is sent. Throws where a secret that the headers name cannot be read. */
export async function otlpTarget(
  { otlpUrl, otlpHeaders }: { readonly otlpUrl: string | null; readonly otlpHeaders: string | null },
  fill: (text: string) => Promise<Result<string, string>>,
): Promise<OtlpTarget | undefined> {
  if (otlpUrl === null) return undefined;
  const headers = await fill(otlpHeaders ?? "");
  if (!headers.ok) throw new Error(headers.error);
  return { url: tracesUrl(otlpUrl), headers: headersOf(headers.value) };
}

/** `…/v1/traces`, which the usual setting leaves out. */
function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, "");
  return base.endsWith("/v1/traces") ? base : `${base}/v1/traces`;
}

/** Headers as `OTEL_EXPORTER_OTLP_HEADERS` writes them: `name=value,name=value`. */
function headersOf(written: string): Record<string, string> {
  const pairs = written.split(",").map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]!, pair[2]!]] : [])));
}

function payload(batch: readonly Span[], version: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ "service.name": "toolkeep", "service.version": version }) },
        scopeSpans: [{ scope: { name: "toolkeep", version }, spans: batch.map(spanJson) }],
      },
    ],
  };
}

function spanJson({ startedAt, endedAt, isError, attributes, ...span }: Span): object {
  return {
    ...span,
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(endedAt),
    status: { code: isError ? 2 : 1 },
    attributes: attributesOf(attributes),
  };
}

function attributesOf(attributes: Readonly<Record<string, string>>): object[] {
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** As text: the number is too large for JSON. */
function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
