import type { Clock } from "../lib/clock.ts";
import type { CallRecord, CallStore } from "../store/store.ts";
import type { OutcomeName, ToolCall } from "../tool.ts";

export interface AuditDeps {
  readonly store: { readonly calls: Pick<CallStore, "put"> };
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly onLost: (count: number, cause: unknown) => void;
}

/** Records wait at most this long before they are written: what a `kill -9` can lose. */
const AUDIT_WINDOW_MS = 200;
const BATCH = 200;
const MAX_WAITING = 20_000;
const MAX_ARGUMENTS = 4_096;

/** What happened. Written in batches off the path of a call; the intent of a destructive call is written first. */
export class Audit {
  readonly #deps: AuditDeps;
  #waiting: CallRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  /** Opens the record of one call; exactly one `end` must follow. */
  begin(id: string, call: ToolCall): AuditRecord {
    return new AuditRecord(id, call, this.#deps, {
      now: (record) => this.#deps.store.calls.put([record]),
      soon: (record) => this.#enqueue(record),
    });
  }

  /** Resolves when everything recorded so far is in the store. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 0) this.#writing = this.#writing.then(() => this.#write(batch));
    await this.#writing;
  }

  #enqueue(record: CallRecord): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#waiting.shift();
      this.#deps.onLost(1, new Error("the store does not keep up with the audit"));
    }
    this.#waiting.push(record);
    if (this.#waiting.length >= BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), AUDIT_WINDOW_MS);
  }

  async #write(batch: readonly CallRecord[]): Promise<void> {
    for (let start = 0; start < batch.length; start += BATCH) {
      const part = batch.slice(start, start + BATCH);
      try {
        await this.#deps.store.calls.put(part);
      } catch (error) {
        this.#deps.onLost(part.length, error);
      }
    }
  }
}

interface Sink {
  readonly now: (record: CallRecord) => Promise<void>;
  readonly soon: (record: CallRecord) => void;
}

/** The audit of one call while it is under way. */
export class AuditRecord {
  readonly #id: string;
  readonly #call: ToolCall;
  readonly #deps: AuditDeps;
  readonly #sink: Sink;
  readonly #startedAt: number;
  #tool: string | null = null;
  #arguments: unknown;
  #decision: { readonly action: string; readonly rule: string } | null = null;

  constructor(id: string, call: ToolCall, deps: AuditDeps, sink: Sink) {
    this.#id = id;
    this.#call = call;
    this.#deps = deps;
    this.#sink = sink;
    this.#startedAt = deps.clock();
    this.#arguments = call.arguments;
  }

  /** `shown`: the arguments without what the tool says is secret in them. */
  resolved(tool: string, shown?: unknown): void {
    this.#tool = tool;
    if (shown !== undefined) this.#arguments = shown;
  }

  decided(args: unknown, decision: { readonly action: string; readonly rule: string }): void {
    this.#arguments = args;
    this.#decision = decision;
  }

  /** Durable before it resolves: the store knows of a destructive call before it runs. */
  intent(): Promise<void> {
    return this.#sink.now(this.#record(null, null, null));
  }

  end(outcome: OutcomeName, durationMs: number, error: string | null): void {
    this.#sink.soon(this.#record(outcome, durationMs, error));
  }

  #record(outcome: OutcomeName | null, durationMs: number | null, error: string | null): CallRecord {
    const { caller, via, name } = this.#call;
    const { redact } = this.#deps;
    return {
      id: this.#id,
      agentId: caller.agentId,
      tokenId: caller.tokenId,
      conversation: caller.conversation,
      via,
      requested: redact(name).slice(0, 200),
      tool: this.#tool,
      arguments: shortened(redact(jsonText(this.#arguments)), MAX_ARGUMENTS),
      decision: this.#decision?.action ?? null,
      rule: this.#decision?.rule ?? null,
      outcome,
      error: error === null ? null : shortened(redact(error), 1_000),
      startedAt: this.#startedAt,
      durationMs,
    };
  }
}

/** A call is recorded whatever its arguments are: some nest too deep to be written as JSON. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return '"(no JSON)"';
  }
}

function shortened(value: string, limit: number): string {
  return value.length <= limit ? value : `${value.slice(0, limit - 1)}…`;
}
