import type { ToolCall } from "../../contract/tool.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import { NEVER_BEGAN } from "./ask-person.ts";
import { type Ending, refusal } from "./outcome.ts";

/** How long the store has to keep that a destructive call is about to run. */
const INTENT_MS = 15_000;

/**
 * Undefined once it is durable that the call is about to run; else how it ends, which it does without having run: it was
 * cancelled, or the store did not keep it in time. Rejects where the store says that it cannot.
 */
export function intended(
  record: Pick<AuditRecord, "intent">,
  { stop, signal }: Pick<ToolCall, "stop" | "signal">,
  limitMs = INTENT_MS,
): Promise<Ending | undefined> {
  return new Promise((resolve, reject) => {
    let forget: (() => void) | undefined;
    const over = () => {
      clearTimeout(timer);
      forget?.();
      signal?.removeEventListener("abort", cancelled);
    };
    const end = (ending: Ending | undefined) => {
      over();
      resolve(ending);
    };
    const cancelled = () => end(refusal("cancelled", NEVER_BEGAN));
    const timer = setTimeout(() => end(storeDown()), limitMs);
    signal?.addEventListener("abort", cancelled, { once: true });
    forget = stop?.onAbort(cancelled);
    const failed = (error: unknown) => {
      over();
      reject(error);
    };
    record.intent().then(() => end(undefined), failed);
  });
}

export function storeDown(): Ending {
  return refusal("unavailable", {
    message: "Toolkeep's store cannot be used at the moment, and this call needs it",
    remedy: "Try again later; a person finds the cause in the log.",
  });
}
