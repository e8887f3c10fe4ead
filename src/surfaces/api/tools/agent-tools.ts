import type { ToolboxEntries } from "../../../call/catalog/catalog.ts";
import { listLimits } from "../../../call/conversation/list-limits.ts";
import { type Listing, makeListing } from "../../../call/conversation/listing.ts";
import { keptOut, type ToolCosts } from "../../../call/conversation/tool-costs.ts";
import { toListedTool } from "../../../call/conversation/tool-view.ts";
import type { Caller } from "../../../contract/caller.ts";
import type { Tool } from "../../../contract/tool.ts";
import type { Hub } from "../../../hub.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import type { AgentRecord } from "../../../machine/db/store.ts";
import type { AgentTool, AgentTools, HiddenTool, ListCost } from "../contract.ts";
import { callerOf } from "../views.ts";

/** What an agent comes to, as it is or as it would be. */
export interface EffectiveSet {
  readonly caller: Caller;
  readonly tools: readonly Tool[];
  readonly hidden: readonly HiddenTool[];
  readonly listing: Listing;
  readonly cost: ListCost;
}

/** What an agent sees, where each grant comes from, what its list costs, and what a conversation that begins has to search for. */
export async function agentTools(hub: Hub, costs: ToolCosts, agent: AgentRecord): Promise<AgentTools> {
  const { caller, tools, hidden, listing, cost } = await effectiveSet(hub, costs, callerOf(hub, agent));
  const deferred = new Set(listing.deferred);
  const pace = createPace();
  const shown: AgentTool[] = [];
  for (const tool of tools) {
    await pace();
    const grantedBy = hub.catalog.grantSources(tool, caller);
    shown.push({ ...toListedTool(tool, costs), grantedBy, deferred: deferred.has(tool) });
  }
  return {
    agent: agent.name,
    tools: shown,
    hidden,
    cost,
    planned: hub.catalog.planned(caller).map((tool) => tool.name),
    ...hub.catalog.unresolvedGrants(agent),
  };
}

/** With the toolboxes there are, or with others in their place. */
export async function effectiveSet(
  hub: Hub,
  costs: ToolCosts,
  caller: Caller,
  toolboxes?: ToolboxEntries,
): Promise<EffectiveSet> {
  const { tools, hidden, named } = hub.catalog.preview(caller, toolboxes);
  // As a conversation begins: it has activated nothing.
  const keeping = { named, pins: caller.pins ?? [] };
  const listing = makeListing(tools, new Map(), keeping, listLimits(caller, hub.settings));
  const listedTokens = await costs.ofList(listing.tools);
  const wholeTokens = await costs.ofList(tools);
  return {
    caller,
    tools,
    hidden: hidden.map((tool) => ({ name: tool.name, rule: hub.watchdog.decide(tool, caller).rule })),
    listing,
    cost: {
      listed: listing.tools.length,
      listedTokens,
      deferred: listing.deferred.length,
      wholeTokens,
      keptTokens: keptOut(wholeTokens, listedTokens),
    },
  };
}
