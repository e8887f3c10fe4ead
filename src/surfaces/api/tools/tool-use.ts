import type { OutcomeName, Tool } from "../../../contract/tool.ts";
import type { Hub } from "../../../hub.ts";
import type { CallSample } from "../../../machine/db/tables/calls/call-record.ts";
import type { CallerSummary, CallSummary, ToolHolder, ToolUse } from "../contract.ts";
import { REFUSED } from "../metrics/call-statistics.ts";
import { agentName, callerOf } from "../views.ts";

const MOST_COUNTED = 1_000;
const NOT_RUN: ReadonlySet<OutcomeName | null> = new Set([...REFUSED, "needs_approval" as const]);
const ENDED_WELL: ReadonlySet<OutcomeName | null> = new Set(["ok", "needs_input"] as const);

/** Who has a tool and through what, and how its calls went since a time. */
export async function toolUse(hub: Hub, tool: Tool, since: number): Promise<ToolUse> {
  const [agents, found] = await Promise.all([
    holdersOf(hub, tool),
    hub.store.calls.sample({ tool: tool.name, since, limit: MOST_COUNTED }),
  ]);
  return { tool: tool.name, agents, since, calls: summaryOf(found), callers: callersOf(hub, found) };
}

async function holdersOf(hub: Hub, tool: Tool): Promise<readonly ToolHolder[]> {
  const holders: ToolHolder[] = [];
  for (const agent of hub.identity.agents()) {
    const caller = callerOf(hub, agent);
    const isVisible = hub.catalog.visible(caller).includes(tool);
    const isHidden = !isVisible && hub.catalog.isHidden(tool, caller);
    if (!isVisible && !(isHidden && hub.catalog.preview(caller).hidden.includes(tool))) continue;
    const { action, rule } = hub.watchdog.decide(tool, caller);
    const { deferred } = await hub.listings.for(caller);
    holders.push({
      agent: agent.name,
      grantedBy: hub.catalog.grantSources(tool, caller),
      listed: isVisible && !deferred.includes(tool),
      decision: isHidden ? "deny" : action,
      rule,
    });
  }
  return holders;
}

/** Exported for tests. */
export function summaryOf(calls: readonly CallSample[]): CallSummary {
  const ran = calls.filter(({ outcome }) => outcome !== null && !NOT_RUN.has(outcome));
  const durations = ran.map(({ durationMs }) => durationMs ?? 0).sort((a, b) => a - b);
  const outcomes: Partial<Record<OutcomeName, number>> = {};
  for (const { outcome } of calls) if (outcome) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return {
    counted: calls.length,
    more: calls.length === MOST_COUNTED,
    failed: ran.filter(({ outcome }) => !ENDED_WELL.has(outcome)).length,
    refused: calls.filter(({ outcome }) => NOT_RUN.has(outcome)).length,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    outcomes,
  };
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

function callersOf(hub: Hub, calls: readonly CallSample[]): readonly CallerSummary[] {
  const byAgent = new Map<string, CallSample[]>();
  for (const call of calls) {
    const own = byAgent.get(call.agentId);
    if (own) own.push(call);
    else byAgent.set(call.agentId, [call]);
  }
  const callers = [...byAgent].map(([id, own]) => ({
    agent: agentName(hub, id),
    calls: own.length,
    failed: summaryOf(own).failed,
    lastAt: own[0]!.startedAt,
  }));
  return callers.sort((a, b) => b.calls - a.calls);
}
