import type { Clock } from "../lib/clock.ts";
import type { CallRecord, CallStore } from "../store/store.ts";
import type { Caller, OutcomeName, ToolCall } from "../tool.ts";

export interface AuditDeps {
  readonly store: { readonly calls: Pick<CallStore, "put"> };
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly onLost: (count: number, cause: unknown) => void;
}

/** Records wait at most this long before they are written: what a `kill -9` can lose. */
const AUDIT_WINDOW_MS = 200;
/** Written together; more than come in one window hardly ever do. */
const BATCH = 2_000;
const MAX_WAITING = 20_000;
const MAX_ARGUMENTS = 4_096;
const MAX_ERROR = 1_000;

/** What happened. Written in batches off the path of a call; the intent of a destructive call is written first. */
export class Audit {
  readonly #deps: AuditDeps;
  readonly #sink: Sink;
  #waiting: Ended[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #unwritten = 0;
  #lost = 0;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
    this.#sink = {
      now: (ended) => deps.store.calls.put([recordOf(ended, deps.redact)]),
      soon: (ended) => this.#enqueue(ended),
    };
  }

  /** Opens the record of one call; exactly one `end` must follow. */
  begin(id: string, call: ToolCall): AuditRecord {
    return new AuditRecord(id, call, this.#deps, this.#sink);
  }

  /** What is not in the store yet, and what could not be written since the process began. */
  get load(): { readonly waiting: number; readonly lost: number } {
    return { waiting: this.#unwritten, lost: this.#lost };
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

  #enqueue(ended: Ended): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#waiting.shift();
      this.#unwritten -= 1;
      this.#lose(1, new Error("the store does not keep up with the audit"));
    }
    this.#unwritten += 1;
    this.#waiting.push(ended);
    if (this.#waiting.length >= BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), AUDIT_WINDOW_MS);
  }

  async #write(batch: readonly Ended[]): Promise<void> {
    for (let start = 0; start < batch.length; start += BATCH) {
      const part = batch.slice(start, start + BATCH);
      try {
        await this.#deps.store.calls.put(part.map((ended) => recordOf(ended, this.#deps.redact)));
      } catch (error) {
        this.#lose(part.length, error);
      }
      this.#unwritten -= part.length;
    }
  }

  #lose(count: number, cause: unknown): void {
    this.#lost += count;
    this.#deps.onLost(count, cause);
  }
}

interface Sink {
  readonly now: (ended: Ended) => Promise<void>;
  readonly soon: (ended: Ended) => void;
}

/** A record as a call leaves it behind; secrets are taken out when it is written. */
interface Ended extends Omit<CallRecord, "agentId" | "tokenId" | "conversation"> {
  readonly caller: Caller;
}

/** The audit of one call while it is under way. */
export class AuditRecord {
  readonly #id: string;
  readonly #call: ToolCall;
  readonly #redact: (text: string) => string;
  readonly #sink: Sink;
  readonly #startedAt: number;
  #tool: string | null = null;
  #arguments: unknown;
  #decision: { readonly action: string; readonly rule: string } | null = null;

  constructor(id: string, call: ToolCall, { redact, clock }: AuditDeps, sink: Sink) {
    this.#id = id;
    this.#call = call;
    this.#redact = redact;
    this.#sink = sink;
    this.#startedAt = clock();
    this.#arguments = call.arguments;
  }

  resolved(tool: string): void {
    this.#tool = tool;
  }

  /** The arguments without what the tool that is meant says is secret in them. */
  shown(args: unknown): void {
    this.#arguments = args;
  }

  decided(args: unknown, decision: { readonly action: string; readonly rule: string }): void {
    this.#arguments = args;
    this.#decision = decision;
  }

  /** Durable before it resolves: the store knows of a destructive call before it runs. */
  intent(): Promise<void> {
    return this.#sink.now(this.#ended(null, null, null));
  }

  end(outcome: OutcomeName, durationMs: number, error: string | null): void {
    this.#sink.soon(this.#ended(outcome, durationMs, error));
  }

  #ended(outcome: OutcomeName | null, durationMs: number | null, error: string | null): Ended {
    const { caller, via, name } = this.#call;
    return {
      id: this.#id,
      caller,
      via,
      requested: name,
      tool: this.#tool,
      // As text: whoever called may change them afterwards.
      arguments: this.#light(jsonText(this.#arguments)),
      decision: this.#decision?.action ?? null,
      rule: this.#decision?.rule ?? null,
      outcome,
      error,
      startedAt: this.#startedAt,
      durationMs,
    };
  }

  /** What is long is not kept until it is written. */
  #light(text: string): string {
    return text.length <= MAX_ARGUMENTS ? text : shortened(this.#redact(text), MAX_ARGUMENTS);
  }
}

function recordOf(ended: Ended, redact: (text: string) => string): CallRecord {
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
  };
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
