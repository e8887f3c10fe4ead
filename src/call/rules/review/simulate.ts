/** What other rules would have decided about past calls. */
import type { Caller } from "../../../contract/caller.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import { isRecord } from "../../../lib/json.ts";
import type { CallRecord } from "../../audit/contract.ts";
import type { RuleIndex } from "../candidates.ts";
import type { Action, RuledTool } from "../compiled-rule.ts";
import type { Decision, RuledCall, Rules } from "../rules.ts";

export interface SimulationDeps {
  readonly rules: Rules;
  readonly extraRulesFor: (caller: Caller) => readonly RuleIndex[];
  readonly toolOf: (name: string) => RuledTool | undefined;
  readonly callerOf: (record: CallRecord) => Caller | undefined;
  readonly callOf: (caller: Caller, args: Readonly<Record<string, unknown>>) => RuledCall;
  /** What to compare with; absent: the decisions of the time. */
  readonly now?: { readonly rules: Rules; readonly extraRulesFor: (caller: Caller) => readonly RuleIndex[] };
}

export interface SimulatedDifference {
  readonly call: CallRecord;
  readonly before: string;
  readonly after: Action;
  readonly rule: string;
  /** Why the result is uncertain: the record lacks something that a rule would look at. */
  readonly unsure?: string;
}

export interface Simulation {
  /** Calls that were decided then and can be decided again. */
  readonly decided: number;
  /** Calls whose tool or agent is gone, or that were never decided. */
  readonly skipped: number;
  /** Calls whose arguments were cut or redacted in the audit. */
  readonly incomplete: number;
  /** How many would have been decided differently. */
  readonly different: number;
  /** The first of these. */
  readonly differing: readonly SimulatedDifference[];
}

const MAX_DIFFERING = 1_000;

/** Yields to other work meanwhile. Rejects when `signal` aborts. */
export async function simulate(
  records: readonly CallRecord[],
  deps: SimulationDeps,
  signal?: AbortSignal,
): Promise<Simulation> {
  const pace = createPace();
  const differing: SimulatedDifference[] = [];
  let decided = 0;
  let incomplete = 0;
  let different = 0;
  for (const record of records) {
    await pace();
    signal?.throwIfAborted();
    const tool = record.tool === null ? undefined : deps.toolOf(record.tool);
    const caller = deps.callerOf(record);
    if (!tool || !caller || record.decision === null) continue;
    decided += 1;
    const { args, unsure } = argumentsOf(record);
    if (unsure) incomplete += 1;
    const labels = new Set(record.labels?.split(",") ?? []);
    const call = { ...deps.callOf(caller, args), labels };
    const decision = allowOperator(deps.rules.decide(tool, call, deps.extraRulesFor(caller)), caller);
    const before = deps.now
      ? allowOperator(deps.now.rules.decide(tool, call, deps.now.extraRulesFor(caller)), caller).action
      : record.decision;
    if (decision.action === before) continue;
    different += 1;
    if (different > MAX_DIFFERING) continue;
    differing.push({
      call: record,
      before,
      after: decision.action,
      rule: decision.rule,
      ...(unsure && { unsure }),
    });
  }
  return { decided, skipped: records.length - decided, incomplete, different, differing };
}

function allowOperator(decision: Decision, { operator }: Caller): Decision {
  return operator && decision.action === "ask" ? { ...decision, action: "allow" } : decision;
}

interface RecordedArguments {
  readonly args: Readonly<Record<string, unknown>>;
  readonly unsure?: string;
}

function argumentsOf({ arguments: recorded }: CallRecord): RecordedArguments {
  try {
    const args: unknown = JSON.parse(recorded);
    if (!isRecord(args)) return { args: {} };
    return recorded.includes("[redacted")
      ? { args, unsure: "its arguments are redacted in the audit" }
      : { args };
  } catch {
    return { args: {}, unsure: "its arguments are cut in the audit" };
  }
}
