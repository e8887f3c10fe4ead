import type { Caller } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { Stop } from "../../lib/flow/stop.ts";
import { isRecord } from "../../lib/json.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { askTogether, type BatchAskDeps } from "./batch-asks.ts";
import type { BatchTurns } from "./batch-turns.ts";

/** More calls are not made in one batch: what all of them answer is held until the last one has ended. */
export const MAX_BATCH_CALLS = 1_000;

/** A part of a batch, which begins when the part before it has ended. */
export interface Stretch<T> {
  readonly members: readonly T[];
  /** How many of them may be under way at the same time; 1 where there is only one. */
  readonly atOnce: number;
}

/**
 * What of a batch may run together: members beside each other that are safe, at most `cap` of them at once. Every other
 * one has a stretch of its own. The order stays.
 */
export function planBatch<T>(
  members: readonly T[],
  isSafe: (member: T) => boolean,
  cap: number,
): readonly Stretch<T>[] {
  const stretches: T[][] = [];
  let isOpen = false;
  for (const member of members) {
    const isJoining = isSafe(member);
    if (isJoining && isOpen) stretches.at(-1)!.push(member);
    else stretches.push([member]);
    isOpen = isJoining;
  }
  return stretches.map((stretch) => ({ members: stretch, atOnce: Math.min(stretch.length, cap) }));
}

/** One of a batch. */
export interface Member<R> {
  readonly caller: Caller;
  /** What it calls; absent where it calls nothing, and so gets in nobody's way. */
  readonly call?: ToolCall;
  /** Begins it; also when the batch was given up before its turn, so that it has an end. */
  run(): Promise<R>;
}

export interface BatchDeps extends BatchAskDeps {
  readonly settings: () => Pick<Settings, "limits">;
  readonly turns: BatchTurns;
}

/**
 * Runs what came together: what is beside each other and may run beside others does, the rest one by one. The answers
 * are in the order of the members. One that rejects stops no other; the first of them is thrown when all have ended.
 * After `stop` nobody waits for a turn any more.
 */
export async function runBatch<R>(
  members: readonly Member<R>[],
  deps: BatchDeps,
  stop: Stop,
): Promise<readonly R[]> {
  if (!stop.aborted)
    await askTogether(
      members.flatMap(({ call }) => call ?? []),
      deps,
    );
  const answers: R[] = [];
  const bugs: unknown[] = [];
  // Many that end without waiting for anything must not keep everything else waiting.
  const pace = createPace();
  const run = async (position: number) => {
    await pace();
    const member = members[position]!;
    const endTurn = await deps.turns.enter(member.caller.agentId, stop);
    try {
      answers[position] = await member.run();
    } catch (error) {
      bugs.push(error);
    } finally {
      endTurn?.();
    }
  };
  const cap = deps.settings().limits.maxToolConcurrency;
  const positions = [...members.keys()];
  for (const stretch of planBatch(positions, (position) => isSafe(members[position]!, deps), cap)) {
    await together(stretch, run);
  }
  if (bugs.length > 0) throw bugs[0];
  return answers;
}

/** Always as many as may be, until all have ended. */
async function together<T>(
  { members, atOnce }: Stretch<T>,
  run: (member: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const goOn = async () => {
    while (next < members.length) await run(members[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, goOn));
}

/**
 * Which tool a name means is asked of the catalogue, as the call itself will. What does not resolve now may do so when
 * its turn comes, and is then not known to be safe.
 */
function isSafe({ call }: Member<unknown>, { catalog, offers }: BatchDeps): boolean {
  if (!call) return true;
  const resolved =
    call.kind === undefined ? catalog.resolve(call.name, call.caller, call.snapshot) : offers.resolve(call);
  if (!resolved.ok) return false;
  const { standsFor, flags } = resolved.value;
  if (!standsFor || !isRecord(call.arguments)) return flags.concurrencySafe;
  const { name } = standsFor(call.arguments);
  if (typeof name !== "string") return false;
  const meant = catalog.resolve(name, call.caller, call.snapshot);
  return meant.ok && meant.value.flags.concurrencySafe;
}

export interface BatchOptions {
  /** Gives the batch up: what runs is cancelled, what has not begun ends as `cancelled` and never runs. */
  readonly signal?: AbortSignal;
}

/**
 * Makes the calls of one step, each of which has its outcome and its line in the audit, in their order. Rejects with
 * BAD_REQUEST, having called nothing, where they are more than a batch may have.
 */
export async function callBatch(
  calls: readonly ToolCall[],
  deps: BatchDeps & { readonly callTool: (call: ToolCall) => Promise<ToolOutcome> },
  { signal }: BatchOptions = {},
): Promise<readonly ToolOutcome[]> {
  if (calls.length > MAX_BATCH_CALLS) {
    const message = `A batch may have at most ${MAX_BATCH_CALLS} calls; this one has ${calls.length}.`;
    throw new ToolkeepError("BAD_REQUEST", message, { remedy: "Make them in several batches." });
  }
  const stop = new Stop();
  const unfollow = signal && stop.follow(signal);
  try {
    return await runBatch(
      calls.map((call) => ({ caller: call.caller, call, run: () => stoppable(call, stop, deps.callTool) })),
      deps,
      stop,
    );
  } finally {
    unfollow?.();
  }
}

/** Makes a call that ends with its batch, and by its own means. */
async function stoppable(
  call: ToolCall,
  batch: Stop,
  callTool: (call: ToolCall) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (!call.stop && !call.signal) return await callTool({ ...call, stop: batch });
  const stop = new Stop();
  const forget = [
    batch.onAbort(() => stop.abort(batch.reason)),
    call.stop?.onAbort(() => stop.abort(call.stop?.reason)),
    call.signal && stop.follow(call.signal),
  ];
  try {
    return await callTool({ ...call, stop });
  } finally {
    for (const each of forget) each?.();
  }
}
