import { randomBytes } from "node:crypto";
import type { OutcomeName, ToolCall } from "../../contract/tool.ts";
import type { Span, SpanSink } from "./otlp.ts";

/** The steps of a call that have spans of their own. */
type Step = "resolve" | "decide" | "wait_for_approval" | "run";

/** What is told of a call once it has ended: names and outcomes, no arguments and no answers. */
export interface TracedCall {
  readonly tool: string | null;
  readonly decision: string | null;
  readonly outcome: OutcomeName;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** The spans of one call. Made only where spans are exported. */
export class CallTrace {
  readonly #id: string;
  readonly #call: ToolCall;
  readonly #sink: SpanSink;
  readonly #startedAt = now();
  readonly #steps: { readonly name: Step; readonly from: number; readonly to: number }[] = [];
  readonly #traceId: string;
  readonly #parentSpanId: string | undefined;
  readonly #spanId = hex(8);
  #from = this.#startedAt;

  constructor(id: string, call: ToolCall, sink: SpanSink) {
    this.#id = id;
    this.#call = call;
    this.#sink = sink;
    const [, traceId = hex(16), parent] = TRACEPARENT.exec(call.traceparent ?? "") ?? [];
    this.#traceId = traceId;
    this.#parentSpanId = parent;
  }

  /** For whoever works on the call: its spans belong below that of the call. */
  get traceparent(): string {
    return `00-${this.#traceId}-${this.#spanId}-01`;
  }

  /** A step ends here, and the next one begins. */
  step(name: Step): void {
    const to = now();
    this.#steps.push({ name, from: this.#from, to });
    this.#from = to;
  }

  end({ tool, decision, outcome }: TracedCall, wasRunning: boolean): void {
    if (wasRunning) this.step("run");
    const traceId = this.#traceId;
    const spanId = this.#spanId;
    const parent = this.#parentSpanId;
    const root: Span = {
      ...{ traceId, spanId, kind: 2, startedAt: this.#startedAt, endedAt: now() },
      ...(parent !== undefined && { parentSpanId: parent }),
      name: tool === null ? "tools/call" : `tools/call ${tool}`,
      isError: outcome !== "ok",
      attributes: {
        "mcp.method.name": "tools/call",
        ...(tool !== null && { "gen_ai.tool.name": tool }),
        ...(decision !== null && { "toolkeep.decision": decision }),
        "toolkeep.outcome": outcome,
        "toolkeep.call_id": this.#id,
        "toolkeep.agent": this.#call.caller.agentName,
        "toolkeep.via": this.#call.via,
      },
    };
    this.#sink.add([
      root,
      ...this.#steps.map(
        ({ name, from, to }): Span => ({
          ...{ traceId, spanId: hex(8), parentSpanId: spanId, name, kind: 1, startedAt: from, endedAt: to },
          isError: false,
          attributes: {},
        }),
      ),
    ]);
  }
}

/** Milliseconds since the epoch, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
