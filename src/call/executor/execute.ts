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
import { NEVER_BEGAN, refusal, storeDown } from "./finish.ts";
import type { Ended, Ending, Kernel, Prepared, Ran } from "./kernel.ts";

/** No call takes longer than this, whatever its tool says. */
const MAX_CALL_MS = 600_000;
/** How long a tool has to stop, and to hand over what it has, once it was told to. */
const STOP_GRACE_MS = 3_000;
/** How long the store has to keep that a destructive call is about to run. */
const INTENT_MS = 15_000;
const MAX_INQUIRY_DEPTH = 50;
/** More updates of one call than this are a flood, which would pile up before a client that reads slowly. */
const MAX_UPDATES = 10_000;
const MAX_UPDATE_CHARS = 500;
/** What one call may tell its caller beside its progress. More, larger or deeper notices are left out. */
const MAX_NOTICES = 1_000;
const MAX_NOTICE_CHARS = 64 * 1024;
const MAX_NOTICE_DEPTH = 50;

type Redact = (text: string) => string;

/** Puts secrets in the place of their names, keeps that a destructive call is about to run, and runs the tool. */
export async function execute(prepared: Prepared, record: AuditRecord, kernel: Kernel): Promise<Ended> {
  const { call, tool, args } = prepared;
  // Last of all, so that nobody but the tool sees them.
  const namesSecrets = call.kind === undefined && includesText(args, SECRET_MARK);
  const given = namesSecrets ? await kernel.vault.expand(args, { tool, caller: call.caller }) : undefined;
  if (given && !given.ok) {
    const { outcome, ...error } = given.error;
    return await notMade(prepared, refusal(outcome, error), record, kernel);
  }
  const unkept = tool.flags.destructive ? await keepIntent(record, call, kernel.intentMs) : undefined;
  if (unkept) return await notMade(prepared, unkept, record, kernel);
  // It may have been cancelled while it waited, here or for its secrets.
  if (call.signal?.aborted) return await notMade(prepared, refusal("cancelled", NEVER_BEGAN), record, kernel);

  record.runs();
  const running = runTool(prepared, given?.value ?? args, record, kernel);
  // Only what must be done now: on few processors its server gets none until this process waits.
  kernel.usage.used(call.caller, tool);
  kernel.events.emit("call.started", { callId: record.id, tool: tool.name, agent: call.caller.agentName });
  const ran = await running;
  record.ran();
  if (ran.isUnsent) await giveBack(prepared, record, kernel);
  return { prepared, ran };
}

/** The end of a call that was approved and certainly never left. */
async function notMade(
  prepared: Prepared,
  ending: Ending,
  record: AuditRecord,
  kernel: Kernel,
): Promise<Ended> {
  await giveBack(prepared, record, kernel);
  return { tool: prepared.tool.name, ending };
}

/** A person approved that a call is made: one that certainly never left leaves its yes to the next that is equal. */
async function giveBack(prepared: Prepared, { id }: AuditRecord, { log }: Kernel): Promise<void> {
  try {
    await prepared.giveBack?.();
  } catch (error) {
    // Then a person is asked once more, which is the safe side.
    if (!(error instanceof ToolkeepError && error.code === "STORE_UNAVAILABLE"))
      log.error({ err: error, callId: id }, "an approval could not be given back");
  }
}

/**
 * Undefined once it is durable that the call is about to run; else how it ends, which it does without having run: it was
 * cancelled, or the store did not keep it in time. Rejects where the store says that it cannot.
 */
async function keepIntent(
  record: Pick<AuditRecord, "intent">,
  { signal }: Pick<ToolCall, "signal">,
  limitMs = INTENT_MS,
): Promise<Ending | undefined> {
  let cancel: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Ending | undefined>((resolve, reject) => {
      cancel = () => resolve(refusal("cancelled", NEVER_BEGAN));
      timer = setTimeout(() => resolve(storeDown()), limitMs);
      signal?.addEventListener("abort", cancel);
      record.intent().then(() => resolve(undefined), reject);
    });
  } finally {
    clearTimeout(timer);
    if (cancel) signal?.removeEventListener("abort", cancel);
  }
}

type StopReason = "cancelled" | "timed_out";

/**
 * Runs a tool inside its time limit. Gives up on one that does not stop when told to. Rejects where the tool did
 * before it was told to, which is a bug of it.
 */
async function runTool(
  { call, tool, args }: Prepared,
  given: Prepared["args"],
  record: AuditRecord,
  kernel: Kernel,
): Promise<Ran> {
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
  const context = new RunContext(tool, forTool(call, record.traceparent), {
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
      tool.run(given, context).then(resolve, reject);
      // Nothing can be over before this turn ends, and what the tool sends is on its way already.
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
    // The signal may be that of a client that stays for days.
    call.signal?.removeEventListener("abort", cancel);
  }
}

/**
 * What the round before asked was whether it may run at all: for the tool this one is the first. Where spans are made,
 * the tool's own belong below that of this call.
 */
function forTool(call: ToolCall, traceparent: string | undefined): ToolCall {
  if (call.rounds?.approval === undefined && traceparent === undefined) return call;
  return {
    ...call,
    ...(call.rounds?.approval !== undefined && { rounds: { capabilities: call.rounds.capabilities } }),
    ...(traceparent !== undefined && { meta: { ...call.meta, traceparent } }),
  };
}

interface Run {
  readonly callId: string;
  readonly redact: Redact;
  readonly signal: LightSignal;
  readonly clock: CallClock;
  readonly files: FileRules;
}

/** Holds only what is there: most calls bring nothing but a caller. */
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

  constructor(tool: Tool, call: ToolCall, { callId, redact, signal, clock, files }: Run) {
    this.callId = callId;
    this.files = files;
    this.caller = call.caller;
    this.#signal = signal;
    const onProgress = call.onProgress && boundedProgress(call.onProgress, redact);
    this.progress = (update) => {
      if (tool.progressExtendsTimeout) clock.extend();
      onProgress?.(update);
    };
    if (call.answering) this.answering = withoutClock(call.answering, clock, redact);
    if (call.rounds) this.rounds = call.rounds;
    if (call.onNotice) this.onNotice = boundedNotices(call.onNotice, redact);
    if (call.logLevel !== undefined) this.logLevel = call.logLevel;
    if (call.meta) this.meta = call.meta;
  }

  /** A getter, so that a copy of the context with another signal does not have this one. */
  get [LIGHT_SIGNAL](): LightSignal {
    return this.#signal;
  }

  get signal(): AbortSignal {
    return this.#signal.ofNode;
  }
}

/** A person who is asked may take longer than the tool. */
function withoutClock(answering: Answering, clock: CallClock, redact: Redact): Answering {
  return {
    ...answering,
    async answer(inquiry, signal) {
      // A tool that was given a secret must not be able to ask with it.
      const params = changeTexts(inquiry.params, redact, MAX_INQUIRY_DEPTH)?.value;
      if (params === undefined) throw new Error("what is asked nests too deep");
      const resume = clock.pause();
      try {
        return await answering.answer({ ...inquiry, params }, signal);
      } finally {
        resume();
      }
    },
  };
}

/** Tells of progress without secrets and within bounds. */
function boundedProgress(onProgress: (update: Progress) => void, redact: Redact): (update: Progress) => void {
  let updates = 0;
  return (update) => {
    if (updates++ >= MAX_UPDATES) return;
    const { message } = update;
    onProgress(
      message === undefined ? update : { ...update, message: redact(message).slice(0, MAX_UPDATE_CHARS) },
    );
  };
}

/** Passes notices on without secrets and within bounds. */
function boundedNotices(onNotice: (notice: Notice) => void, redact: Redact): (notice: Notice) => void {
  let notices = 0;
  return ({ method, params }) => {
    if (notices >= MAX_NOTICES) return;
    const changed = changeTexts(params, redact, MAX_NOTICE_DEPTH);
    if (!changed || changed.atLeast > MAX_NOTICE_CHARS) return;
    notices++;
    onNotice({ method, params: changed.value });
  };
}

/** A tool may be anybody's program, which no type has checked. */
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

/** Whatever the tool still said is kept as content. A result that was finished at the very moment counts. */
function stoppedResult(tool: Tool, limit: number, why: StopReason, result: ToolResult | undefined): Ran {
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
 * The time limit of one call: `limitMs` of work from `start` on, begun anew by `extend` and not running while `pause`
 * counts, but never more than `capMs` in all.
 */
class CallClock {
  readonly #limitMs: number;
  readonly #capMs: number;
  readonly #over: () => void;
  readonly #deadlines: Deadlines;
  #startedAt: number | undefined;
  #timer: Deadline | undefined;
  /** Only there once the limit alone no longer keeps within the cap. */
  #cap: Deadline | undefined;
  #pauses = 0;

  constructor(limitMs: number, capMs: number, over: () => void, deadlines: Deadlines) {
    this.#limitMs = limitMs;
    this.#capMs = capMs;
    this.#over = over;
    this.#deadlines = deadlines;
  }

  start(): void {
    if (this.#timer !== undefined || this.#pauses > 0) return;
    this.#startedAt = performance.now();
    this.#timer = this.#deadlines.after(Math.min(this.#limitMs, this.#capMs), this.#over);
  }

  extend(): void {
    if (this.#pauses > 0) return;
    this.#keepCap();
    this.#forget();
    this.#timer = this.#deadlines.after(this.#limitMs, this.#over);
  }

  /** Stops the clock until the function it returns is called; then the limit begins anew. */
  pause(): () => void {
    this.#pauses++;
    this.#keepCap();
    this.#forget();
    return () => {
      this.#pauses--;
      this.extend();
    };
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#forget();
    if (this.#cap) this.#deadlines.cancel(this.#cap);
    this.#cap = undefined;
  }

  #forget(): void {
    if (this.#timer) this.#deadlines.cancel(this.#timer);
    this.#timer = undefined;
  }

  #keepCap(): void {
    if (this.#pauses === Number.POSITIVE_INFINITY) return;
    this.#startedAt ??= performance.now();
    this.#cap ??= this.#deadlines.after(this.#capMs - (performance.now() - this.#startedAt), this.#over);
  }
}
