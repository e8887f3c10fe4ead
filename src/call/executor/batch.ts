import { setMaxListeners } from "node:events";
import type { Caller } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { type EndTurn, FairQueue } from "../../lib/flow/fair-queue.ts";
import { linkSignals } from "../../lib/flow/link-signals.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { isRecord } from "../../lib/json.ts";
import type { AskedCall } from "../rules/approvals/approvals.ts";
import { checkArguments } from "./arguments/arguments.ts";
import type { Kernel } from "./kernel.ts";

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

export interface BatchDeps
  extends Pick<Kernel, "settings" | "catalog" | "offers" | "watchdog" | "schemas" | "vault"> {
  readonly approvals: Pick<Kernel["approvals"], "together">;
  readonly turns: BatchTurns;
}

/**
 * Runs what came together: what is beside each other and may run beside others does, the rest one by one. The answers
 * are in the order of the members. One that rejects stops no other; the first of them is thrown when all have ended.
 * After `signal` aborts nobody waits for a turn any more.
 */
export async function runBatch<R>(
  members: readonly Member<R>[],
  deps: BatchDeps,
  signal: AbortSignal,
): Promise<readonly R[]> {
  // Every call that waits for its turn listens to it.
  setMaxListeners(0, signal);
  if (!signal.aborted)
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
  const runNext = async () => {
    while (next < members.length) await run(members[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
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

/** Makes a call that ends with its batch, and by its own means. */
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
 * The turns of all calls that come in batches, of every agent. At most `limit()` are under way, and agents take turns
 * for what is free. An agent that has none under way gets one in any case: others may hold all of them for long.
 */
export class BatchTurns {
  readonly #queue: FairQueue;
  /** How many each agent has under way; an agent without any is not in here. */
  readonly #underWay = new Map<string, number>();

  constructor(limit: () => number) {
    this.#queue = new FairQueue(limit, Number.POSITIVE_INFINITY);
  }

  get underWay(): number {
    return [...this.#underWay.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A turn, which whoever gets it ends; undefined when `signal` came first. */
  async enter(agent: string, signal: AbortSignal): Promise<EndTurn | undefined> {
    if (signal.aborted) return undefined;
    if (!this.#underWay.has(agent)) {
      this.#queue.resume();
      return this.#begin(agent, () => this.#queue.pause());
    }
    const turn = await this.#queue.enter(agent, signal);
    return turn.ok ? this.#begin(agent, turn.value) : undefined;
  }

  #begin(agent: string, end: EndTurn): EndTurn {
    this.#underWay.set(agent, (this.#underWay.get(agent) ?? 0) + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = this.#underWay.get(agent)! - 1;
      if (left > 0) this.#underWay.set(agent, left);
      else {
        this.#underWay.delete(agent);
        // Before the turn ends, so that it stays with an agent that has no other.
        this.#queue.hurry(agent);
      }
      end();
    };
  }
}

/**
 * Before the calls of a batch run: those that a person must approve are asked about in one question. Each of them still
 * takes its whole way, and finds there what it is told here.
 */
async function askTogether(calls: readonly ToolCall[], deps: BatchDeps): Promise<void> {
  if (calls.length < 2) return;
  const asked = calls.flatMap((call) => askedOf(call, deps) ?? []);
  if (asked.length > 1) await deps.approvals.together(asked);
}

/** The call as a person would be asked about it; undefined where nobody is. */
function askedOf(call: ToolCall, deps: BatchDeps): AskedCall | undefined {
  const { caller } = call;
  if (call.kind === "task" || call.rounds?.approved !== undefined) return undefined;
  const resolved =
    call.kind === undefined
      ? deps.catalog.resolve(call.name, caller, call.snapshot)
      : deps.offers.resolve(call);
  if (!resolved.ok) return undefined;
  const tool = resolved.value;
  if (tool.standsFor) return behind(call, tool, deps);
  if (!deps.watchdog.mayAsk(tool, caller)) return undefined;
  const args = checkArguments(tool, call.arguments, deps);
  if (!args.ok) return undefined;
  const decision = deps.watchdog.decide(tool, caller, args.value);
  return decision.action === "ask" ? { tool, args: args.value, caller, decision } : undefined;
}

/** A call that stands for another is asked about as that other one. */
function behind(call: ToolCall, wrapper: Tool, deps: BatchDeps): AskedCall | undefined {
  const args = checkArguments(wrapper, call.arguments, deps);
  if (!args.ok || !wrapper.standsFor) return undefined;
  const meant = { ...call, ...wrapper.standsFor(args.value) };
  const resolved = deps.catalog.resolve(meant.name, call.caller, call.snapshot);
  if (!resolved.ok || resolved.value.standsFor) return undefined;
  const tool = resolved.value;
  const { caller } = call;
  const around = deps.watchdog.decide(wrapper, caller, args.value);
  if (around.action === "deny" || (around.action === "allow" && !deps.watchdog.mayAsk(tool, caller)))
    return undefined;
  const checked = checkArguments(tool, meant.arguments, deps);
  if (!checked.ok) return undefined;
  const own = deps.watchdog.decide(tool, caller, checked.value);
  const decision = own.action === "allow" ? around : own;
  return decision.action === "ask" ? { tool, args: checked.value, caller, decision } : undefined;
}
