import type { Caller } from "../caller.ts";
import type { Hub } from "../hub.ts";
import type { CallRecord } from "../store/call-record.ts";
import type { Supposed } from "../watchdog/decider.ts";
import { type SimulationDeps, simulate } from "../watchdog/simulate.ts";
import type { RuleSimulation, SimulateInput } from "./contract.ts";
import { checkedRule } from "./rule-check.ts";

const PAGE = 1_000;

/** What other rules would have said to the calls of the audit. */
export async function simulation(
  hub: Hub,
  input: SimulateInput,
  signal: AbortSignal,
): Promise<RuleSimulation> {
  const { decider } = hub.watchdog;
  const { rules, more } = decider.suppose(supposed(hub, input));
  const records = await recentCalls(hub, input);
  const deps: SimulationDeps = {
    rules,
    more,
    toolOf: (name) => hub.catalog.get(name),
    callerOf: (record) => callerOf(hub, record),
    callOf: (caller, args) => decider.callOf(caller, args),
    // Of one rule more or less people want to see what it does, not what else has changed since.
    ...(!input.rules && { now: { rules: decider.rules, more: (caller) => decider.more(caller) } }),
  };
  const { decided, skipped, incomplete, differing } = await simulate(records, deps, signal);
  return {
    looked: records.length,
    decided,
    skipped,
    incomplete,
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

function supposed(hub: Hub, { rules, add = [], without }: SimulateInput): Supposed {
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

/** Newest first. */
async function recentCalls(
  hub: Hub,
  { since, limit = 1_000 }: Pick<SimulateInput, "since" | "limit">,
): Promise<CallRecord[]> {
  const records: CallRecord[] = [];
  while (records.length < limit) {
    const page = await hub.store.calls.list({
      limit: Math.min(PAGE, limit - records.length),
      offset: records.length,
      ...(since !== undefined && { since }),
    });
    records.push(...page);
    if (page.length < PAGE) break;
  }
  return records;
}

function callerOf(hub: Hub, { agentId, conversation }: CallRecord): Caller | undefined {
  const operator = hub.identity.operator(conversation);
  if (agentId === operator.agentId) return operator;
  const agent = hub.identity.agentById(agentId);
  return agent && hub.identity.callerFor(agent, { tokenId: null, scopes: null, conversation });
}
