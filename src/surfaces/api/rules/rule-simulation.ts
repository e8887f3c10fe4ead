import { type SimulationDeps, simulate } from "../../../call/rules/simulate.ts";
import type { RuleChanges } from "../../../call/rules/watchdog.ts";
import type { Caller } from "../../../contract/caller.ts";
import type { Hub } from "../../../hub.ts";
import type { CallPlace, CallRecord } from "../../../machine/db/tables/calls/call-record.ts";
import type { RuleSimulation, SimulateInput } from "../contract.ts";
import { checkedRule } from "./rule-check.ts";

const PAGE = 1_000;

/** What other rules would have said to the calls of the audit. */
export async function simulation(
  hub: Hub,
  input: SimulateInput,
  signal: AbortSignal,
): Promise<RuleSimulation> {
  const { decider } = hub.watchdog;
  const { rules, extraRulesFor } = decider.suppose(supposed(hub, input));
  const { records, more: isMore } = await recentCalls(hub, input);
  const deps: SimulationDeps = {
    rules,
    extraRulesFor,
    toolOf: (name) => hub.catalog.get(name),
    callerOf: (record) => callerOf(hub, record),
    callOf: (caller, args) => decider.callOf(caller, args),
    // Of one rule more or less people want to see what it does, not what else has changed since.
    ...(!input.rules && {
      now: { rules: decider.rules, extraRulesFor: (caller) => decider.extraRulesFor(caller) },
    }),
  };
  const { decided, skipped, incomplete, different, differing } = await simulate(records, deps, signal);
  return {
    looked: records.length,
    decided,
    skipped,
    incomplete,
    more: isMore,
    different,
    differing: differing.map(({ call, before, after, rule, unsure = null }) => ({
      id: call.id,
      at: call.startedAt,
      agent: hub.identity.agentById(call.agentId)?.name ?? call.agentId,
      tool: call.tool ?? call.requested,
      before,
      after,
      rule,
      unsure,
    })),
  };
}

function supposed(hub: Hub, { rules, add = [], without }: SimulateInput): RuleChanges {
  if (without !== undefined) hub.ruleBook.get(without);
  return {
    ...(rules && { user: rules.map((rule) => ({ ...checkedRule(rule), from: "user" as const })) }),
    add: add.map(({ agent, ...rule }) => ({
      rule: { ...checkedRule(rule), from: agent === undefined ? "user" : "agent" },
      agentId: agent === undefined ? null : hub.identity.agent(agent).id,
    })),
    ...(without !== undefined && { without }),
  };
}

/** Newest first; by their place, since new ones come meanwhile. */
async function recentCalls(
  hub: Hub,
  { since, limit = 1_000 }: Pick<SimulateInput, "since" | "limit">,
): Promise<{ readonly records: readonly CallRecord[]; readonly more: boolean }> {
  const records: CallRecord[] = [];
  let after: CallPlace | undefined;
  do {
    const wanted = Math.min(PAGE, limit - records.length);
    const { calls, next } = await hub.store.calls.search({ limit: wanted, since, after });
    records.push(...calls);
    after = next ?? undefined;
  } while (after && records.length < limit);
  return { records, more: after !== undefined };
}

function callerOf(hub: Hub, { agentId, conversation }: CallRecord): Caller | undefined {
  const operator = hub.identity.operatorCaller(conversation);
  if (agentId === operator.agentId) return operator;
  const agent = hub.identity.agentById(agentId);
  return agent && hub.identity.callerFor(agent, { tokenId: null, scopes: null, conversation });
}
