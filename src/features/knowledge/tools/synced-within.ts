import type { ToolContext } from "../../../contract/tool.ts";
import type { SyncOutcome } from "../contract.ts";

/** Undefined if the sync takes longer. It continues, also when the caller goes away. */
export async function syncedWithin(
  ended: Promise<SyncOutcome>,
  ms: number,
  { signal }: Pick<ToolContext, "signal">,
): Promise<SyncOutcome | undefined> {
  // Nobody may be waiting any more; the status shows how it ended.
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
