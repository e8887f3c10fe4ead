import type { ToolContext } from "../../../contract/tool.ts";
import type { SyncOutcome } from "../contract.ts";

/** Undefined: it takes longer, and goes on. It also goes on when whoever waits goes away. */
export async function syncedWithin(
  ended: Promise<SyncOutcome>,
  ms: number,
  { signal }: Pick<ToolContext, "signal">,
): Promise<SyncOutcome | undefined> {
  // Nobody may be left to hear of it; its status says how it ended.
  ended.catch(() => {});
  let stop: () => void = () => {};
  const late = new Promise<undefined>((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    const onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    stop();
  }
}
