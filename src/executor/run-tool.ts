import type { Answering, OutcomeName, Tool, ToolCall, ToolResult } from "../tool.ts";
import { CallClock } from "./call-clock.ts";

/** No call takes longer than this, whatever its tool says. */
const MAX_CALL_MS = 600_000;
/** How long a tool has to stop, and to hand over what it has, once it was told to. */
const STOP_GRACE_MS = 3_000;

/** Runs a tool inside its time limit. Gives up on one that does not stop when told to. */
export async function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  call: ToolCall,
  callId: string,
): Promise<{ outcome: OutcomeName; result: ToolResult }> {
  const limit = Math.min(tool.timeoutMs, MAX_CALL_MS);
  const stop = new AbortController();
  const cancel = () => stop.abort("cancelled");
  const clock = new CallClock(limit, MAX_CALL_MS, () => stop.abort("timed_out"));
  if (call.signal?.aborted) cancel();
  call.signal?.addEventListener("abort", cancel, { once: true });
  const given = givenUp(stop.signal);
  try {
    const running = tool.run(args, {
      callId,
      caller: call.caller,
      signal: stop.signal,
      progress: (update) => {
        if (tool.progressExtendsTimeout) clock.extend();
        call.onProgress?.(update);
      },
      ...(call.answering ? { answering: withoutClock(call.answering, clock) } : {}),
    });
    const result = await Promise.race([running.catch(thrownAfterStop(stop.signal)), given.promise]);
    if (stop.signal.aborted) return stopped(tool, limit, stop.signal.reason as Stop, result);
    return { outcome: outcomeOf(result), result: result as ToolResult };
  } finally {
    clock.stop();
    given.forget();
    call.signal?.removeEventListener("abort", cancel);
  }
}

/** A person who is asked may take longer than the tool. */
function withoutClock(answering: Answering, clock: CallClock): Answering {
  return {
    capabilities: answering.capabilities,
    async answer(inquiry, signal) {
      const goOn = clock.pause();
      try {
        return await answering.answer(inquiry, signal);
      } finally {
        goOn();
      }
    },
  };
}

type Stop = "cancelled" | "timed_out";

function outcomeOf(result: ToolResult | undefined): OutcomeName {
  return result === undefined || result.kind === "output" ? "ok" : result.kind;
}

/** Whatever the tool still said is kept as content. A result that was finished at the very moment counts. */
function stopped(
  tool: Tool,
  limit: number,
  why: Stop,
  result: ToolResult | undefined,
): { outcome: OutcomeName; result: ToolResult } {
  if (result?.kind === "output") return { outcome: "ok", result };
  const message =
    why === "cancelled"
      ? `${tool.name} was cancelled by its caller`
      : `${tool.name} did not finish within ${limit / 1000} s and was stopped; ask for less at once, or have a person raise its time limit`;
  const content = result && "content" in result && result.content ? result.content : [];
  return {
    outcome: why,
    result: {
      kind: "failed",
      message,
      ...(content.length ? { content: [{ type: "text", text: message }, ...content] } : {}),
    },
  };
}

/** A tool may reject when it is stopped; before that, a rejection is a bug. */
function thrownAfterStop(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
    return undefined;
  };
}

function givenUp(signal: AbortSignal): { promise: Promise<undefined>; forget: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const { promise, resolve } = promiseWithResolve();
  const onAbort = () => {
    timer = setTimeout(resolve, STOP_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    promise,
    forget: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

function promiseWithResolve(): { promise: Promise<undefined>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<undefined>((settle) => {
    resolve = () => settle(undefined);
  });
  return { promise, resolve };
}
