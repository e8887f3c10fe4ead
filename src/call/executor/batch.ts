import { setMaxListeners } from "node:events";
import type { Caller } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { type EndTurn, FairQueue } from "../../lib/flow/fair-queue.ts";
import { linkSignals } from "../../lib/flow/link-signals.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { isRecord } from "../../lib/json.ts";
import type { CallForApproval } from "../rules/approvals/approvals.ts";
import { checkArguments } from "./arguments/arguments.ts";
import type { Kernel } from "./kernel.ts";

/** The most calls in one batch: all answers are held in memory until the last call has ended. */
export const MAX_BATCH_CALLS = 1_000;

/** Members of a batch that may run at the same time. A stage starts when the previous one has ended. */
export interface BatchStage<T> {
  readonly members: readonly T[];
  /** How many members may run at the same time. */
  readonly concurrency: number;
}

/**
 * Splits a batch into stages: neighbours that are safe share one, at most `cap` at a time; every other member has its
 * own. The order is kept.
 */
export function planBatch<T>(
  members: readonly T[],
  isSafe: (member: T) => boolean,
  cap: number,
): readonly BatchStage<T>[] {
  const stages: T[][] = [];
  let isLastSafe = false;
  for (const member of members) {
    const isMemberSafe = isSafe(member);
    if (isMemberSafe && isLastSafe) stages.at(-1)!.push(member);
    else stages.push([member]);
    isLastSafe = isMemberSafe;
  }
  return stages.map((stage) => ({ members: stage, concurrency: Math.min(stage.length, cap) }));
}

export interface BatchMember<R> {
  readonly caller: Caller;
  /** Absent where the member calls no tool, and so conflicts with nothing. */
  readonly call?: ToolCall;
  /** Starts it. Also called for members that are cancelled before their turn, so that every member ends. */
  run(): Promise<R>;
}

export interface BatchDeps
  extends Pick<Kernel, "settings" | "catalog" | "offers" | "watchdog" | "schemas" | "vault"> {
  readonly approvals: Pick<Kernel["approvals"], "askTogether">;
  readonly turns: BatchTurns;
}

/**
 * Runs the members in the stages of `planBatch` and resolves with their answers in order. A member that rejects stops
 * no other; the first rejection is thrown once all have ended. After `signal` aborts nobody waits for a turn.
 */
export async function runBatch<R>(
  members: readonly BatchMember<R>[],
  deps: BatchDeps,
  signal: AbortSignal,
): Promise<readonly R[]> {
  // Every call that waits for its turn adds a listener.
  setMaxListeners(0, signal);
  if (!signal.aborted)
    await askTogether(
      members.flatMap(({ call }) => call ?? []),
      deps,
    );
  const answers: R[] = [];
  const bugs: unknown[] = [];
  // Many members that end without waiting must not block the event loop.
  const pace = createPace();
  const run = async (position: number) => {
    await pace();
    const member = members[position]!;
    const endTurn = await deps.turns.enter(member.caller.agentId, signal);
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
  for (const stage of planBatch(positions, (position) => isSafe(members[position]!, deps), cap)) {
    await runStage(stage, run);
  }
  if (bugs.length > 0) throw bugs[0];
  return answers;
}

/** Keeps `concurrency` members running until all have ended. */
async function runStage<T>(
  { members, concurrency }: BatchStage<T>,
  run: (member: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runNext = async () => {
    while (next < members.length) await run(members[next++]!);
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
}

/**
 * Resolves the tool as the call itself will. A name that does not resolve now may resolve at its turn, so it counts as
 * unsafe.
 */
function isSafe({ call }: BatchMember<unknown>, { catalog, offers }: BatchDeps): boolean {
  if (!call) return true;
  const resolved =
    call.kind === undefined ? catalog.resolve(call.name, call.caller, call.snapshot) : offers.resolve(call);
  if (!resolved.ok) return false;
  const { standsFor, flags } = resolved.value;
  if (!standsFor || !isRecord(call.arguments)) return flags.concurrencySafe;
  const { name } = standsFor(call.arguments);
  if (typeof name !== "string") return false;
  const inner = catalog.resolve(name, call.caller, call.snapshot);
  return inner.ok && inner.value.flags.concurrencySafe;
}

export interface BatchOptions {
  /** Cancels the batch: running calls are cancelled, the others end as `cancelled` without running. */
  readonly signal?: AbortSignal;
}

/**
 * Makes the calls of one step in their order; each has its own outcome and audit record. Rejects with BAD_REQUEST,
 * before any call, if there are more than `MAX_BATCH_CALLS`.
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
  const batch = new AbortController();
  const unlink = linkSignals(batch, signal);
  try {
    return await runBatch(
      calls.map((call) => ({
        caller: call.caller,
        call,
        run: () => callInBatch(call, batch.signal, deps.callTool),
      })),
      deps,
      batch.signal,
    );
  } finally {
    unlink();
  }
}

/** Makes a call that is cancelled with its batch or by its own signal. */
async function callInBatch(
  call: ToolCall,
  batch: AbortSignal,
  callTool: (call: ToolCall) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (!call.signal) return await callTool({ ...call, signal: batch });
  const either = new AbortController();
  const unlink = linkSignals(either, batch, call.signal);
  try {
    return await callTool({ ...call, signal: either.signal });
  } finally {
    unlink();
  }
}

/**
 * The turns of all batched calls, of every agent. At most `limit()` run at once, and agents share free turns fairly. An
 * agent without a running call always gets a turn, because others may hold all of them for long.
 */
export class BatchTurns {
  readonly #queue: FairQueue;
  /** Running calls by agent; an agent without any has no entry. */
  readonly #running = new Map<string, number>();

  constructor(limit: () => number) {
    this.#queue = new FairQueue(limit, Number.POSITIVE_INFINITY);
  }

  get runningCount(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Waits for a turn, which the caller has to end. Undefined when `signal` aborts first. */
  async enter(agent: string, signal: AbortSignal): Promise<EndTurn | undefined> {
    if (signal.aborted) return undefined;
    if (!this.#running.has(agent)) {
      this.#queue.resume();
      return this.#begin(agent, () => this.#queue.pause());
    }
    const turn = await this.#queue.enter(agent, signal);
    return turn.ok ? this.#begin(agent, turn.value) : undefined;
  }

  #begin(agent: string, end: EndTurn): EndTurn {
    this.#running.set(agent, (this.#running.get(agent) ?? 0) + 1);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      const left = this.#running.get(agent)! - 1;
      if (left > 0) this.#running.set(agent, left);
      else {
        this.#running.delete(agent);
        // Before the turn ends, so that an agent that has no other turn keeps it.
        this.#queue.hurry(agent);
      }
      end();
    };
  }
}

/**
 * Asks about all calls of a batch that need approval in one question, before any of them runs. Each call still passes
 * all phases and finds its answer there.
 */
async function askTogether(calls: readonly ToolCall[], deps: BatchDeps): Promise<void> {
  if (calls.length < 2) return;
  const requests = calls.flatMap((call) => callForApproval(call, deps) ?? []);
  if (requests.length > 1) await deps.approvals.askTogether(requests);
}

/** The call as a person would be asked about it; undefined where nobody is asked. */
function callForApproval(call: ToolCall, deps: BatchDeps): CallForApproval | undefined {
  const { caller } = call;
  if (call.kind === "task" || call.rounds?.approved !== undefined) return undefined;
  const resolved =
    call.kind === undefined
      ? deps.catalog.resolve(call.name, caller, call.snapshot)
      : deps.offers.resolve(call);
  if (!resolved.ok) return undefined;
  const tool = resolved.value;
  if (tool.standsFor) return innerCallForApproval(call, tool, deps);
  if (!deps.watchdog.mayAsk(tool, caller)) return undefined;
  const args = checkArguments(tool, call.arguments, deps);
  if (!args.ok) return undefined;
  const decision = deps.watchdog.decide(tool, caller, args.value);
  return decision.action === "ask" ? { tool, args: args.value, caller, decision } : undefined;
}

/** A wrapper is asked about as the call that it stands for. */
function innerCallForApproval(call: ToolCall, wrapper: Tool, deps: BatchDeps): CallForApproval | undefined {
  const args = checkArguments(wrapper, call.arguments, deps);
  if (!args.ok || !wrapper.standsFor) return undefined;
  const inner = { ...call, ...wrapper.standsFor(args.value) };
  const resolved = deps.catalog.resolve(inner.name, call.caller, call.snapshot);
  if (!resolved.ok || resolved.value.standsFor) return undefined;
  const tool = resolved.value;
  const { caller } = call;
  const outer = deps.watchdog.decide(wrapper, caller, args.value);
  if (outer.action === "deny" || (outer.action === "allow" && !deps.watchdog.mayAsk(tool, caller)))
    return undefined;
  const checked = checkArguments(tool, inner.arguments, deps);
  if (!checked.ok) return undefined;
  const own = deps.watchdog.decide(tool, caller, checked.value);
  const decision = own.action === "allow" ? outer : own;
  return decision.action === "ask" ? { tool, args: checked.value, caller, decision } : undefined;
}
