import { ToolkeepError } from "../../contract/errors.ts";
import type { ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { execute } from "./execute.ts";
import { finish, refusal, storeUnavailable } from "./finish.ts";
import type { CallEnd, Kernel } from "./kernel.ts";
import { prepare } from "./prepare.ts";

/**
 * The life of one call: prepare, execute, finish. Never throws for what a caller, a server or a person can cause; a bug
 * becomes an outcome, too.
 *
 * A person is asked in two places. `prepare` asks about a call that a rule wants approved. A few tools ask by
 * themselves while they run (`agreement` in `call/questions/agreement.ts`): those that change agents, toolboxes,
 * secrets, servers and settings need an admin's yes, and no rule, no operator and no earlier approval of the call
 * replaces it.
 */
export async function callTool(call: ToolCall, kernel: Kernel): Promise<ToolOutcome> {
  const record = kernel.audit.begin(kernel.newId("call"), call);
  try {
    // Most calls are prepared and finished without waiting, and so leave in the same tick in which they arrived.
    const preparing = prepare(call, record, kernel);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const end = "refused" in prepared ? prepared.refused : await execute(prepared, record, kernel);
    const finishing = finish(call, end, record, kernel);
    return finishing instanceof Promise ? await finishing : finishing;
  } catch (bug) {
    return await finish(call, endByBug(bug, record.id, kernel), record, kernel);
  }
}

/** `callTool` with one kernel, for whoever only makes calls. */
export function callToolWith(kernel: Kernel): (call: ToolCall) => Promise<ToolOutcome> {
  return (call) => callTool(call, kernel);
}

function endByBug(bug: unknown, callId: string, { log }: Kernel): CallEnd {
  log.error({ err: bug, callId }, "executor: a call failed with an internal error");
  if (bug instanceof ToolkeepError && bug.code === "STORE_UNAVAILABLE") return { draft: storeUnavailable() };
  const message = `something went wrong inside Toolkeep (${callId})`;
  const remedy = "Try again; a person finds the cause in the log under this id.";
  return { draft: refusal("internal_error", { message, remedy }) };
}
