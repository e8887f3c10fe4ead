import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import type { ToolOutcome } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { OUTPUT_KEPT_MS, type OutputStore } from "../../machine/db/tables/calls/output-record.ts";

/** Of one agent; when there are more, the oldest go. */
const MAX_OUTPUTS = 200;
const MAX_BYTES = 64 * 1024 * 1024;

export interface KeepDeps {
  readonly outputs: Pick<OutputStore, "list" | "create" | "delete">;
  /** What the caller has come in touch with, by this output too. */
  readonly labelsOf: (caller: Caller) => ReadonlySet<string>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Pick<Log, "warn">;
}

/**
 * Keeps the whole of an output that was cut, for `read_tool_output`. Undefined where it could not be kept: a call that
 * worked does not fail by it.
 */
export async function keepOutput(
  caller: Caller,
  whole: string,
  { outputs, labelsOf, clock, newId, log }: KeepDeps,
): Promise<ToolOutcome["fullOutput"]> {
  const { agentId, conversation } = caller;
  const labels = [...labelsOf(caller)];
  const kept = { id: newId("out"), chars: whole.length, bytes: Buffer.byteLength(whole) };
  if (kept.bytes > MAX_BYTES) return undefined;
  const createdAt = clock();
  try {
    await outputs.delete(await toRemove(outputs, agentId, kept.bytes, createdAt - OUTPUT_KEPT_MS));
    await outputs.create({ ...kept, agentId, conversation, createdAt, labels }, whole);
    return kept;
  } catch (error) {
    log.warn({ cause: messageOf(error) }, "the whole of a cut output could not be kept");
    await outputs.delete([kept.id]).catch(() => {});
    return undefined;
  }
}

/** What is too old, and what no longer fits when `bytes` more come. */
async function toRemove(
  outputs: KeepDeps["outputs"],
  agentId: string,
  bytes: number,
  before: number,
): Promise<readonly string[]> {
  let total = bytes;
  const newestFirst = await outputs.list({ agentId });
  return newestFirst.flatMap((output, index) => {
    total += output.bytes;
    const stays = index < MAX_OUTPUTS - 1 && total <= MAX_BYTES && output.createdAt >= before;
    return stays ? [] : [output.id];
  });
}
