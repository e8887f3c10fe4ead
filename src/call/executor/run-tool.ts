import type { Caller } from "../../contract/caller.ts";
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
import type { Deadlines } from "../../lib/flow/deadlines.ts";
import { Stop } from "../../lib/flow/stop.ts";
import { isRecord } from "../../lib/json.ts";
import { changeTexts } from "../../lib/text/change-texts.ts";
import { CallClock } from "./call-clock.ts";
import { boundedNotices } from "./notices.ts";
import { boundedProgress } from "./progress.ts";

/** No call takes longer than this, whatever its tool says. */
const MAX_CALL_MS = 600_000;
/** How long a tool has to stop, and to hand over what it has, once it was told to. */
const STOP_GRACE_MS = 3_000;
const MAX_INQUIRY_DEPTH = 50;

type Redact = (text: string) => string;

export interface RunDeps {
  readonly callId: string;
  readonly redact: Redact;
  readonly deadlines: Deadlines;
  readonly files: FileRules;
}

/** How a tool ended. */
export interface Ran {
  readonly outcome: OutcomeName;
  readonly result: ToolResult;
  /** Nothing of the call has left, which is certain. */
  readonly isUnsent?: true;
}

/**
 * Runs a tool inside its time limit. Gives up on one that does not stop when told to. Rejects where the tool did
 * before it was told to, which is a bug of it.
 */
export function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  call: ToolCall,
  { callId, redact, deadlines, files }: RunDeps,
): Promise<Ran> {
  const limit = Math.min(tool.timeoutMs, MAX_CALL_MS);
  const stop = new Stop();
  const clock = new CallClock(limit, MAX_CALL_MS, () => stop.abort("timed_out"), deadlines);
  const unlink = cancelledWith(call, stop);
  // By hand and not by `await`: every call passes here, and most of what it would cost is waiting for promises.
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const forget = stop.onAbort(() => {
      grace = setTimeout(() => ended(undefined), STOP_GRACE_MS);
    });
    // Leaves nothing that leads from one part to another: what one garbage collection missed would hold the rest.
    const over = () => {
      clock.stop();
      unlink?.();
      forget();
      clearTimeout(grace);
    };
    const ended = (result: ToolResult | undefined) => {
      over();
      if (stop.aborted) resolve(stopped(tool, limit, stop.reason as Reason, result));
      else if (!isResult(result)) reject(new Error(`${tool.name} ended without a result`));
      else resolve({ outcome: outcomeOf(result), result, ...unsentOf(result) });
    };
    const failed = (error: unknown) => {
      if (stop.aborted) return ended(undefined);
      over();
      reject(error);
    };
    try {
      const running = tool.run(args, new RunContext(tool, call, { callId, redact, stop, clock, files }));
      // Nothing can be over before this turn ends, and what the tool sends is on its way already.
      clock.start();
      running.then(ended, failed);
    } catch (error) {
      failed(error);
    }
  });
}

interface Run {
  readonly callId: string;
  readonly redact: Redact;
  readonly stop: Stop;
  readonly clock: CallClock;
  readonly files: FileRules;
}

type Reason = "cancelled" | "timed_out";

/** Links the caller's own way to cancel; what it returns takes the link away. */
function cancelledWith(call: ToolCall, stop: Stop): (() => void) | undefined {
  if (call.stop) return call.stop.onAbort(() => stop.abort("cancelled"));
  return call.signal && stop.follow(call.signal, "cancelled");
}

/** Holds only what is there: most calls bring nothing but a caller. */
class RunContext implements ToolContext {
  readonly callId: string;
  readonly caller: Caller;
  readonly stop: Stop;
  readonly progress: (update: Progress) => void;
  readonly files: FileRules;
  declare readonly answering?: Answering;
  declare readonly rounds?: Rounds;
  declare readonly onNotice?: (notice: Notice) => void;
  declare readonly logLevel?: string;
  declare readonly meta?: CallMeta;

  constructor(tool: Tool, call: ToolCall, { callId, redact, stop, clock, files }: Run) {
    this.callId = callId;
    this.files = files;
    this.caller = call.caller;
    this.stop = stop;
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

  /** Made when it is asked for. */
  get signal(): AbortSignal {
    return this.stop.signal;
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
      const goOn = clock.pause();
      try {
        return await answering.answer({ ...inquiry, params }, signal);
      } finally {
        goOn();
      }
    },
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
function stopped(tool: Tool, limit: number, why: Reason, result: ToolResult | undefined): Ran {
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
