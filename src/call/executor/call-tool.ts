import { ToolkeepError } from "../../contract/errors.ts";
import type { ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { execute } from "./execute.ts";
import { finish, refusal, storeDown } from "./finish.ts";
import type { Ended, Kernel } from "./kernel.ts";
import { prepare } from "./prepare.ts";

/**
 * The life of one call: prepare, execute, finish. Never throws for what a caller, a server or a person can cause; a bug
 * is an outcome, too.
 *
 * A person is asked in two places. `prepare` asks about a call that a rule says must be asked about. A few tools ask by
 * themselves while they run (`agreement` in `call/questions/agreement.ts`): those that change agents, toolboxes, secrets,
 * servers and settings want an admin's yes, and no rule, no operator and no earlier approval of the call stands in for
 * it. An admin's yes stays an admin's.
 */
export async function callTool(call: ToolCall, kernel: Kernel): Promise<ToolOutcome> {
  const record = kernel.audit.begin(kernel.newId("call"), call);
  try {
    // Most calls are prepared and finished without waiting for anything, and go out in the turn in which they came in.
    const preparing = prepare(call, record, kernel);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const ended = "refused" in prepared ? prepared.refused : await execute(prepared, record, kernel);
    const finishing = finish(call, ended, record, kernel);
    return finishing instanceof Promise ? await finishing : finishing;
  } catch (bug) {
    return await finish(call, failedInside(bug, record.id, kernel), record, kernel);
  }
}

/** `callTool` with one kernel, for whoever only makes calls. */
export function callToolWith(kernel: Kernel): (call: ToolCall) => Promise<ToolOutcome> {
  return (call) => callTool(call, kernel);
}

function failedInside(bug: unknown, callId: string, { log }: Kernel): Ended {
  log.error({ err: bug, callId }, "a call failed inside Toolkeep");
  if (bug instanceof ToolkeepError && bug.code === "STORE_UNAVAILABLE") return { ending: storeDown() };
  const message = `something went wrong inside Toolkeep (${callId})`;
  const remedy = "Trying again may help; a person finds the cause in the log under this id.";
  return { ending: refusal("internal_error", { message, remedy }) };
}
