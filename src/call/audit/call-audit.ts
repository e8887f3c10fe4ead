import type { Caller } from "../../contract/caller.ts";
import type { OutcomeName, ToolCall } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { toJsonText } from "../../lib/json.ts";
import { CallTrace } from "./call-trace.ts";
import type { CallRecord, CallStep } from "./contract.ts";
import type { SpanSink } from "./otlp.ts";

const MAX_ARGUMENTS = 4_096;
const MAX_ERROR = 1_000;

/** The record of a call before it is written. Secrets are removed when it is written. */
export interface Ended
  extends Omit<CallRecord, "agentId" | "tokenId" | "conversation" | "person" | "chain" | "seq" | "mac"> {
  readonly caller: Caller;
}

export interface CallSink {
  /** Resolves when the record is in the store. */
  readonly now: (ended: Ended) => Promise<void>;
  readonly soon: (ended: Ended) => void;
}

export interface CallAuditDeps {
  readonly redact: (text: string) => string;
  readonly clock: Clock;
}

/** The audit record of one call while the call is running. */
export class AuditRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly #call: ToolCall;
  readonly #redact: (text: string) => string;
  readonly #sink: CallSink;
  readonly #trace: CallTrace | undefined;
  readonly #steps = new StepClock();
  #isRunning = false;
  #tool: string | null = null;
  #arguments: unknown;
  #decision: { readonly action: string; readonly rule: string } | null = null;
  #labels: string | null = null;
  #approvalId: string | null = null;
  #approvedBy: string | null = null;

  /** `spans`: receives the spans of the call; undefined: spans are not exported. */
  constructor(
    id: string,
    call: ToolCall,
    { redact, clock }: CallAuditDeps,
    sink: CallSink,
    spans: SpanSink | undefined,
  ) {
    this.#trace = spans && new CallTrace(id, call, spans);
    this.id = id;
    this.#call = call;
    this.#redact = redact;
    this.#sink = sink;
    this.startedAt = clock();
    this.#arguments = call.arguments;
  }

  /** The parent of spans made by whoever runs the call; undefined: spans are not exported. */
  get traceparent(): string | undefined {
    return this.#trace?.traceparent;
  }

  noteTool(tool: string): void {
    this.#tool = tool;
    this.#steps.mark("resolved");
    this.#trace?.step("resolve");
  }

  /** The arguments without those that the tool declares as secret. */
  setArguments(args: unknown): void {
    this.#arguments = args;
  }

  /** The arguments were repaired and are valid. */
  noteChecked(): void {
    this.#steps.mark("checked");
  }

  noteDecision(args: unknown, decision: { readonly action: string; readonly rule: string }): void {
    this.#arguments = args;
    this.#decision = decision;
    this.#steps.mark("decided");
    this.#trace?.step("decide");
  }

  /** All checks are done: the tool runs next. */
  noteStart(): void {
    this.#isRunning = true;
    this.#steps.mark("ready");
    if (this.#decision?.action === "ask") this.#trace?.step("wait_for_approval");
  }

  /** The tool has returned. */
  noteReturn(): void {
    this.#steps.mark("ran");
  }

  /** What the conversation had read when the call was decided. */
  noteLabels(labels: readonly string[]): void {
    this.#labels = labels.length === 0 ? null : labels.join(",");
  }

  /** The question that a person was asked, and who approved it, if anybody did. */
  noteApproval(approvalId: string, approvedBy: string | null = null): void {
    this.#approvalId = approvalId;
    this.#approvedBy = approvedBy;
  }

  /** Durable before it resolves: the store knows of a destructive call before it runs. */
  writeIntent(): Promise<void> {
    return this.#sink.now(this.#ended(null, null, null));
  }

  end(outcome: OutcomeName, durationMs: number, error: string | null): void {
    this.#sink.soon(this.#ended(outcome, durationMs, error));
    const decision = this.#decision?.action ?? null;
    // A person was asked, and refused or did not answer.
    if (this.#approvalId !== null && !this.#isRunning) this.#trace?.step("wait_for_approval");
    this.#trace?.end({ tool: this.#tool, decision, outcome }, this.#isRunning);
  }

  #ended(outcome: OutcomeName | null, durationMs: number | null, error: string | null): Ended {
    const { caller, via, name } = this.#call;
    return {
      id: this.id,
      caller,
      via,
      requested: name,
      tool: this.#tool,
      // As text, because the caller may change the object afterwards.
      arguments: this.#light(toJsonText(this.#arguments)),
      decision: this.#decision?.action ?? null,
      rule: this.#decision?.rule ?? null,
      outcome,
      error,
      startedAt: this.startedAt,
      durationMs,
      labels: this.#labels,
      approvalId: this.#approvalId,
      approvedBy: this.#approvedBy,
      // An intent is written before the last step.
      steps: outcome === null ? null : this.#steps.text,
    };
  }

  /** Long texts are shortened at once, so that they do not stay in memory until they are written. */
  #light(text: string): string {
    return text.length <= MAX_ARGUMENTS ? text : shortened(this.#redact(text), MAX_ARGUMENTS);
  }
}

/** The record without secrets, and without a place in a chain. */
export function recordOf(ended: Ended, redact: (text: string) => string): CallRecord {
  const { caller, error } = ended;
  return {
    id: ended.id,
    agentId: caller.agentId,
    tokenId: caller.tokenId,
    conversation: caller.conversation,
    via: ended.via,
    requested: redact(ended.requested).slice(0, 200),
    tool: ended.tool,
    arguments: shortened(redact(ended.arguments), MAX_ARGUMENTS),
    decision: ended.decision,
    rule: ended.rule,
    outcome: ended.outcome,
    error: error === null ? null : shortened(redact(error), MAX_ERROR),
    startedAt: ended.startedAt,
    durationMs: ended.durationMs,
    person: caller.person ?? null,
    labels: ended.labels,
    approvalId: ended.approvalId,
    approvedBy: ended.approvedBy,
    steps: ended.steps,
    chain: null,
    seq: null,
    mac: null,
  };
}

function shortened(value: string, limit: number): string {
  return value.length <= limit ? value : `${value.slice(0, limit - 1)}…`;
}

/** When each step ended, in microseconds since the call began; -1: not reached. Stored in this order. */
interface Marks {
  resolved: number;
  checked: number;
  decided: number;
  ready: number;
  ran: number;
}

/** Notes when the steps of one call end. It is on the path of every call: a step costs one look at the clock. */
export class StepClock {
  readonly #startedAt = performance.now();
  readonly #marks: Marks = { resolved: -1, checked: -1, decided: -1, ready: -1, ran: -1 };

  mark(step: keyof Marks): void {
    this.#marks[step] = Math.round((performance.now() - this.#startedAt) * 1_000);
  }

  /** Null if no step was reached. */
  get text(): string | null {
    const { resolved, checked, decided, ready, ran } = this.#marks;
    return resolved < 0 && checked < 0 ? null : `${resolved},${checked},${decided},${ready},${ran}`;
  }
}

/** The steps of a recorded call. Empty for calls from before steps were recorded, and for texts that cannot be read. */
export function stepsOf(call: {
  readonly steps: string | null;
  readonly decision: string | null;
  readonly durationMs: number | null;
}): readonly CallStep[] {
  const marks = (call.steps ?? "").split(",").map(Number);
  if (marks.length !== 5 || marks.some((mark) => !Number.isSafeInteger(mark))) return [];
  const [resolved, checked, decided, ready, ran] = marks as [number, number, number, number, number];
  const ends: readonly [CallStep["name"], number][] = [
    ["resolve", resolved],
    ["repair", checked],
    ["decide", decided],
    [call.decision === "ask" ? "ask" : "prepare", ready],
    ["run", ran],
    // A call that a person refused has no later mark: the rest of its time was spent asking.
    [call.decision === "ask" && ready < 0 ? "ask" : "record", (call.durationMs ?? -1) * 1_000],
  ];
  const steps: CallStep[] = [];
  let from = 0;
  for (const [name, to] of ends) {
    if (to < from) continue;
    if (to > from || name !== "record") steps.push({ name, from, to });
    from = to;
  }
  return steps;
}
