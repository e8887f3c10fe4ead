import type { Caller } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type {
  Answering,
  CallMeta,
  Notice,
  OutcomeName,
  Progress,
  Rounds,
  Tool,
  ToolCall,
  ToolContext,
  ToolResult,
} from "../../contract/tool.ts";
import type { FileRules } from "../../lib/files/file-rules.ts";
import type { Deadline, Deadlines } from "../../lib/flow/deadlines.ts";
import { LIGHT_SIGNAL, LightSignal } from "../../lib/flow/light-signal.ts";
import { includesText, isRecord } from "../../lib/json.ts";
import { changeTexts } from "../../lib/text/change-texts.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import { SECRET_MARK } from "../vault/placeholder.ts";
import { NEVER_BEGAN, refusal, storeUnavailable } from "./finish.ts";
import type { CallEnd, Kernel, OutcomeDraft, PreparedCall, ToolEnd } from "./kernel.ts";

/** No call takes longer, whatever the time limit of its tool. */
const MAX_CALL_MS = 600_000;
/** How long a tool may take to stop and hand over partial output once it was told to stop. */
const STOP_GRACE_MS = 3_000;
/** How long the store may take to save the intent of a destructive call. */
const INTENT_MS = 15_000;
const MAX_INQUIRY_DEPTH = 50;
/** More updates of one call are a flood that would pile up in front of a slow client. */
const MAX_UPDATES = 10_000;
const MAX_UPDATE_CHARS = 500;
/** Limits for the notices of one call; more, larger or deeper ones are dropped. */
const MAX_NOTICES = 1_000;
const MAX_NOTICE_CHARS = 64 * 1024;
const MAX_NOTICE_DEPTH = 50;

type Redact = (text: string) => string;

/** Expands secrets, saves the intent of a destructive call, and runs the tool. */
export async function execute(prepared: PreparedCall, record: AuditRecord, kernel: Kernel): Promise<CallEnd> {
  const { call, tool, args } = prepared;
  // Expanded last, so that only the tool sees the values.
  const namesSecrets = call.kind === undefined && includesText(args, SECRET_MARK);
  const expanded = namesSecrets ? await kernel.vault.expand(args, { tool, caller: call.caller }) : undefined;
  if (expanded && !expanded.ok) {
    const { outcome, ...error } = expanded.error;
    return await endUnsent(prepared, refusal(outcome, error), record, kernel);
  }
  const intentFailure = tool.flags.destructive ? await saveIntent(record, call, kernel.intentMs) : undefined;
  if (intentFailure) return await endUnsent(prepared, intentFailure, record, kernel);
  // The call may have been cancelled while it waited for its secrets or for the store.
  if (call.signal?.aborted)
    return await endUnsent(prepared, refusal("cancelled", NEVER_BEGAN), record, kernel);

  record.noteStart();
  const running = runTool(prepared, expanded?.value ?? args, record, kernel);
  // Keep this short: on few processors the tool's server gets none until this process waits.
  kernel.usage.noteUse(call.caller, tool);
  kernel.events.emit("call.started", { callId: record.id, tool: tool.name, agent: call.caller.agentName });
  const end = await running;
  record.noteReturn();
  if (end.isUnsent) await releaseApproval(prepared, record, kernel);
  return { prepared, toolEnd: end };
}

/** Ends an approved call that certainly never left. */
async function endUnsent(
  prepared: PreparedCall,
  draft: OutcomeDraft,
  record: AuditRecord,
  kernel: Kernel,
): Promise<CallEnd> {
  await releaseApproval(prepared, record, kernel);
  return { tool: prepared.tool.name, draft };
}

/** An approval is for a call that is made: one that certainly never left leaves it to the next identical call. */
async function releaseApproval(prepared: PreparedCall, { id }: AuditRecord, { log }: Kernel): Promise<void> {
  try {
    await prepared.releaseApproval?.();
  } catch (error) {
    // A person is then asked once more, which is safe.
    if (!(error instanceof ToolkeepError && error.code === "STORE_UNAVAILABLE"))
      log.error({ err: error, callId: id }, "executor: failed to release an unused approval");
  }
}

/**
 * Resolves with undefined once the store has the intent; otherwise with how the call ends without having run:
 * cancelled, or the store took too long. Rejects where the store says that it cannot save.
 */
async function saveIntent(
  record: Pick<AuditRecord, "writeIntent">,
  { signal }: Pick<ToolCall, "signal">,
  limitMs = INTENT_MS,
): Promise<OutcomeDraft | undefined> {
  let cancel: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<OutcomeDraft | undefined>((resolve, reject) => {
      cancel = () => resolve(refusal("cancelled", NEVER_BEGAN));
      timer = setTimeout(() => resolve(storeUnavailable()), limitMs);
      signal?.addEventListener("abort", cancel);
      record.writeIntent().then(() => resolve(undefined), reject);
    });
  } finally {
    clearTimeout(timer);
    if (cancel) signal?.removeEventListener("abort", cancel);
  }
}

type StopReason = "cancelled" | "timed_out";

/**
 * Runs a tool within its time limit and gives up on one that does not stop when told to. Rejects where the tool rejects
 * without having been told to stop: that is a bug of the tool.
 */
async function runTool(
  { call, tool, args }: PreparedCall,
  values: PreparedCall["args"],
  record: AuditRecord,
  kernel: Kernel,
): Promise<ToolEnd> {
  const limit = Math.min(tool.timeoutMs, MAX_CALL_MS);
  const signal = new LightSignal();
  let stopped: StopReason | undefined;
  let grace: NodeJS.Timeout | undefined;
  let giveUp: () => void;
  const stop = (reason: StopReason) => {
    if (stopped !== undefined) return;
    stopped = reason;
    grace = setTimeout(giveUp, STOP_GRACE_MS);
    signal.abort(reason);
  };
  const cancel = () => stop("cancelled");
  const clock = new CallClock(limit, MAX_CALL_MS, () => stop("timed_out"), kernel.deadlines);
  const context = new RunContext(tool, callForTool(call, record.traceparent), {
    callId: record.id,
    redact: kernel.vault.redact,
    signal,
    clock,
    files: kernel.watchdog.files(tool, call.caller, args),
  });
  call.signal?.addEventListener("abort", cancel);
  try {
    const result = await new Promise<ToolResult | undefined>((resolve, reject) => {
      giveUp = () => resolve(undefined);
      tool.run(values, context).then(resolve, reject);
      // Started after `run`: the limit cannot expire before this tick ends, and the tool's request is already on its
      // way.
      clock.start();
    });
    if (stopped !== undefined) return stoppedResult(tool, limit, stopped, result);
    if (!isResult(result)) throw new Error(`${tool.name} ended without a result`);
    return { outcome: outcomeOf(result), result, ...unsentOf(result) };
  } catch (error) {
    if (stopped === undefined) throw error;
    return stoppedResult(tool, limit, stopped, undefined);
  } finally {
    clock.stop();
    clearTimeout(grace);
    // The signal may belong to a client that stays connected for days.
    call.signal?.removeEventListener("abort", cancel);
  }
}

/**
 * A round that only asked for approval is not shown to the tool: for the tool this round is the first. With tracing on,
 * the tool's spans become children of this call's span.
 */
function callForTool(call: ToolCall, traceparent: string | undefined): ToolCall {
  if (call.rounds?.approval === undefined && traceparent === undefined) return call;
  return {
    ...call,
    ...(call.rounds?.approval !== undefined && { rounds: { capabilities: call.rounds.capabilities } }),
    ...(traceparent !== undefined && { meta: { ...call.meta, traceparent } }),
  };
}

interface ContextParts {
  readonly callId: string;
  readonly redact: Redact;
  readonly signal: LightSignal;
  readonly clock: CallClock;
  readonly files: FileRules;
}

/** Sets only the fields that the call has: most calls bring nothing but a caller. */
class RunContext implements ToolContext {
  readonly callId: string;
  readonly caller: Caller;
  readonly progress: (update: Progress) => void;
  readonly files: FileRules;
  readonly #signal: LightSignal;
  declare readonly answering?: Answering;
  declare readonly rounds?: Rounds;
  declare readonly onNotice?: (notice: Notice) => void;
  declare readonly logLevel?: string;
  declare readonly meta?: CallMeta;

  constructor(tool: Tool, call: ToolCall, { callId, redact, signal, clock, files }: ContextParts) {
    this.callId = callId;
    this.files = files;
    this.caller = call.caller;
    this.#signal = signal;
    const onProgress = call.onProgress && limitProgress(call.onProgress, redact);
    this.progress = (update) => {
      if (tool.progressExtendsTimeout) clock.extend();
      onProgress?.(update);
    };
    if (call.answering) this.answering = pauseWhileAsking(call.answering, clock, redact);
    if (call.rounds) this.rounds = call.rounds;
    if (call.onNotice) this.onNotice = limitNotices(call.onNotice, redact);
    if (call.logLevel !== undefined) this.logLevel = call.logLevel;
    if (call.meta) this.meta = call.meta;
  }

  /** A getter, so that a copy of the context with another signal does not carry this one. */
  get [LIGHT_SIGNAL](): LightSignal {
    return this.#signal;
  }

  get signal(): AbortSignal {
    return this.#signal.ofNode;
  }
}

/** Stops the clock while a person is asked, who may take longer than the tool. */
function pauseWhileAsking(answering: Answering, clock: CallClock, redact: Redact): Answering {
  return {
    ...answering,
    async answer(inquiry, signal) {
      // A tool that was given a secret must not be able to put it into a question.
      const params = changeTexts(inquiry.params, redact, MAX_INQUIRY_DEPTH)?.value;
      if (params === undefined)
        throw new Error(`the question is nested more than ${MAX_INQUIRY_DEPTH} levels deep`);
      const resume = clock.pause();
      try {
        return await answering.answer({ ...inquiry, params }, signal);
      } finally {
        resume();
      }
    },
  };
}

/** Passes progress on, redacted and within limits. */
function limitProgress(onProgress: (update: Progress) => void, redact: Redact): (update: Progress) => void {
  let updates = 0;
  return (update) => {
    if (updates++ >= MAX_UPDATES) return;
    const { message } = update;
    onProgress(
      message === undefined ? update : { ...update, message: redact(message).slice(0, MAX_UPDATE_CHARS) },
    );
  };
}

/** Passes notices on, redacted and within limits. */
function limitNotices(onNotice: (notice: Notice) => void, redact: Redact): (notice: Notice) => void {
  let notices = 0;
  return ({ method, params }) => {
    if (notices >= MAX_NOTICES) return;
    const changed = changeTexts(params, redact, MAX_NOTICE_DEPTH);
    if (!changed || changed.atLeast > MAX_NOTICE_CHARS) return;
    notices++;
    onNotice({ method, params: changed.value });
  };
}

/** A tool may be a third party's program, whose result no type has checked. */
function isResult(result: unknown): result is ToolResult {
  return isRecord(result) && typeof result.kind === "string";
}

function outcomeOf(result: ToolResult): OutcomeName {
  if (result.kind === "output" || result.kind === "task") return "ok";
  return result.kind === "asks" ? "needs_input" : result.kind;
}

function unsentOf(result: ToolResult | undefined): { isUnsent?: true } {
  return result?.kind === "unavailable" && result.isUnsent ? UNSENT : NOTHING;
}

const UNSENT = { isUnsent: true } as const;
const NOTHING = {};

/** Content that a stopped tool still delivered is kept. A result that was finished at that very moment counts as ok. */
function stoppedResult(tool: Tool, limit: number, why: StopReason, result: ToolResult | undefined): ToolEnd {
  if (result?.kind === "output" || result?.kind === "task") return { outcome: "ok", result };
  const message =
    why === "cancelled"
      ? `${tool.name} was cancelled by its caller`
      : `${tool.name} did not finish within ${limit / 1000} s and was stopped; ask for less at once, or have a person raise its time limit`;
  const content = result && "content" in result && result.content ? result.content : [];
  return {
    outcome: why,
    ...unsentOf(result),
    result: {
      kind: "failed",
      message,
      ...(content.length ? { content: [{ type: "text", text: message }, ...content] } : {}),
    },
  };
}

/**
 * The time limit of one call: `limitMs` of work from `start` on, restarted by `extend`, suspended by `pause`, and never
 * more than `capMs` in total.
 */
class CallClock {
  readonly #limitMs: number;
  readonly #capMs: number;
  readonly #onExpired: () => void;
  readonly #deadlines: Deadlines;
  #startedAt: number | undefined;
  #timer: Deadline | undefined;
  /** Set once the limit alone could exceed the cap. */
  #cap: Deadline | undefined;
  #pauses = 0;

  constructor(limitMs: number, capMs: number, onExpired: () => void, deadlines: Deadlines) {
    this.#limitMs = limitMs;
    this.#capMs = capMs;
    this.#onExpired = onExpired;
    this.#deadlines = deadlines;
  }

  start(): void {
    if (this.#timer !== undefined || this.#pauses > 0) return;
    this.#startedAt = performance.now();
    this.#timer = this.#deadlines.after(Math.min(this.#limitMs, this.#capMs), this.#onExpired);
  }

  extend(): void {
    if (this.#pauses > 0) return;
    this.#startCap();
    this.#clearTimer();
    this.#timer = this.#deadlines.after(this.#limitMs, this.#onExpired);
  }

  /** Stops the clock until the returned function is called; then the limit starts anew. */
  pause(): () => void {
    this.#pauses++;
    this.#startCap();
    this.#clearTimer();
    return () => {
      this.#pauses--;
      this.extend();
    };
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#clearTimer();
    if (this.#cap) this.#deadlines.cancel(this.#cap);
    this.#cap = undefined;
  }

  #clearTimer(): void {
    if (this.#timer) this.#deadlines.cancel(this.#timer);
    this.#timer = undefined;
  }

  #startCap(): void {
    if (this.#pauses === Number.POSITIVE_INFINITY) return;
    this.#startedAt ??= performance.now();
    this.#cap ??= this.#deadlines.after(this.#capMs - (performance.now() - this.#startedAt), this.#onExpired);
  }
}
