import { type OutcomeName, REFUSED_OUTCOMES, type Tool } from "../../contract/tool.ts";
import type { CallSample, CallStore } from "../audit/call-store.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Listings } from "../conversation/listings.ts";
import { unrestrictedCaller } from "../identity/callers.ts";
import type { Identity } from "../identity/identity.ts";
import type { Watchdog } from "../rules/watchdog.ts";
import type { CallerSummary, CallSummary, ToolHolder, ToolUse } from "./contract.ts";

export interface ToolUseDeps {
  readonly identity: Pick<Identity, "agent" | "agents" | "operatorCaller">;
  readonly catalog: () => Catalog;
  readonly listings: () => Pick<Listings, "for">;
  readonly watchdog: Pick<Watchdog, "decide">;
  /** An agent that was deleted keeps its id as its name. */
  readonly agents: { name(id: string): string };
  readonly calls: Pick<CallStore, "sample">;
}

const MOST_COUNTED = 1_000;
const NOT_RUN: ReadonlySet<OutcomeName | null> = new Set([...REFUSED_OUTCOMES, "needs_approval" as const]);
const ENDED_WELL: ReadonlySet<OutcomeName | null> = new Set(["ok", "needs_input"] as const);

/** Who has a tool and through what, and how its calls went since a time. */
export async function toolUse(tool: Tool, since: number, deps: ToolUseDeps): Promise<ToolUse> {
  const [agents, found] = await Promise.all([
    holdersOf(tool, deps),
    deps.calls.sample({ tool: tool.name, since, limit: MOST_COUNTED }),
  ]);
  return { tool: tool.name, agents, since, calls: summaryOf(found), callers: callersOf(found, deps) };
}

async function holdersOf(
  tool: Tool,
  { identity, catalog, listings, watchdog }: ToolUseDeps,
): Promise<readonly ToolHolder[]> {
  const holders: ToolHolder[] = [];
  for (const agent of identity.agents()) {
    const caller = unrestrictedCaller(agent);
    const isVisible = catalog().visible(caller).includes(tool);
    const isHidden = !isVisible && catalog().isHidden(tool, caller);
    if (!isVisible && !(isHidden && catalog().preview(caller).hidden.includes(tool))) continue;
    const { action, rule } = watchdog.decide(tool, caller);
    const { deferred } = await listings().for(caller);
    holders.push({
      agent: agent.name,
      grantedBy: catalog().grantSources(tool, caller),
      listed: isVisible && !deferred.includes(tool),
      decision: isHidden ? "deny" : action,
      rule,
    });
  }
  return holders;
}

function summaryOf(calls: readonly CallSample[]): CallSummary {
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

function callersOf(calls: readonly CallSample[], { agents }: ToolUseDeps): readonly CallerSummary[] {
  const byAgent = new Map<string, CallSample[]>();
  for (const call of calls) {
    const own = byAgent.get(call.agentId);
    if (own) own.push(call);
    else byAgent.set(call.agentId, [call]);
  }
  const callers = [...byAgent].map(([id, own]) => ({
    agent: agents.name(id),
    calls: own.length,
    failed: summaryOf(own).failed,
    lastAt: own[0]!.startedAt,
  }));
  return callers.sort((a, b) => b.calls - a.calls);
}
