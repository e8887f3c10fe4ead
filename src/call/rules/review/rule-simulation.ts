import type { Caller } from "../../../contract/caller.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { CallPlace, CallStore } from "../../audit/call-store.ts";
import type { CallRecord } from "../../audit/contract.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Identity } from "../../identity/identity.ts";
import type { RuleSimulation, SimulateInput } from "../contract.ts";
import type { RuleBook } from "../rule-book.ts";
import type { RuleChanges, Watchdog } from "../watchdog.ts";
import { checkRule } from "./rule-check.ts";
import { type SimulationDeps, simulate } from "./simulate.ts";

export interface RuleSimulationDeps {
  readonly watchdog: Pick<Watchdog, "decider">;
  readonly ruleBook: Pick<RuleBook, "get">;
  readonly identity: Identity;
  readonly catalog: () => Catalog;
  readonly calls: Pick<CallStore, "search">;
  readonly clock: Clock;
}

const PAGE = 1_000;

/** What other rules would have decided about the calls of the audit. */
export async function simulateRules(
  deps: RuleSimulationDeps,
  input: SimulateInput,
  signal: AbortSignal,
): Promise<RuleSimulation> {
  const { decider } = deps.watchdog;
  const { rules, extraRulesFor } = decider.suppose(toRuleChanges(deps, input));
  const { records, more: isMore } = await recentCalls(deps, input);
  const simulation: SimulationDeps = {
    rules,
    extraRulesFor,
    toolOf: (name) => deps.catalog().get(name),
    callerOf: (record) => callerOf(deps, record),
    callOf: (caller, args) => decider.callOf(caller, args),
    // Whoever adds or removes one rule wants to see its effect, not what else has changed since.
    ...(!input.rules && {
      now: { rules: decider.rules, extraRulesFor: (caller) => decider.extraRulesFor(caller) },
    }),
  };
  const { differing, ...counts } = await simulate(records, simulation, signal);
  return {
    looked: records.length,
    ...counts,
    more: isMore,
    differing: differing.map(({ call, before, after, rule, unsure = null }) => ({
      id: call.id,
      at: call.startedAt,
      agent: deps.identity.agentById(call.agentId)?.name ?? call.agentId,
      tool: call.tool ?? call.requested,
      before,
      after,
      rule,
      unsure,
    })),
  };
}

function toRuleChanges(
  { ruleBook, identity }: RuleSimulationDeps,
  { rules, add = [], without }: SimulateInput,
): RuleChanges {
  if (without !== undefined) ruleBook.get(without);
  return {
    ...(rules && { user: rules.map((rule) => ({ ...checkRule(rule), from: "user" as const })) }),
    add: add.map(({ agent, ...rule }) => ({
      rule: { ...checkRule(rule), from: agent === undefined ? "user" : "agent" },
      agentId: agent === undefined ? null : identity.agent(agent).id,
    })),
    ...(without !== undefined && { without }),
  };
}

/** Newest first. Each page starts where the last one ended, because new calls come in meanwhile. */
async function recentCalls(
  { calls: store }: RuleSimulationDeps,
  { since, limit = 1_000 }: Pick<SimulateInput, "since" | "limit">,
): Promise<{ readonly records: readonly CallRecord[]; readonly more: boolean }> {
  const records: CallRecord[] = [];
  let after: CallPlace | undefined;
  do {
    const wanted = Math.min(PAGE, limit - records.length);
    const { calls, next } = await store.search({ limit: wanted, since, after });
    records.push(...calls);
    after = next ?? undefined;
  } while (after && records.length < limit);
  return { records, more: after !== undefined };
}

function callerOf(
  { identity }: RuleSimulationDeps,
  { agentId, conversation }: CallRecord,
): Caller | undefined {
  const operator = identity.operatorCaller(conversation);
  if (agentId === operator.agentId) return operator;
  const agent = identity.agentById(agentId);
  return agent && identity.callerFor(agent, { tokenId: null, scopes: null, conversation });
}
