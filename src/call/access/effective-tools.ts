import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Catalog, ToolboxEntries } from "../catalog/catalog.ts";
import { listLimits } from "../conversation/list-limits.ts";
import { type Listing, makeListing } from "../conversation/listing.ts";
import { keptOut, type ToolCosts } from "../conversation/tool-costs.ts";
import { toListedTool } from "../conversation/tool-view.ts";
import { unrestrictedCaller } from "../identity/callers.ts";
import type { AgentRecord } from "../identity/contract.ts";
import type { Identity } from "../identity/identity.ts";
import type { Watchdog } from "../rules/watchdog.ts";
import type { AgentTool, AgentTools, HiddenTool, ListCost } from "./contract.ts";

export interface AccessDeps {
  readonly identity: Pick<Identity, "agent" | "agents">;
  readonly catalog: () => Catalog;
  readonly watchdog: Pick<Watchdog, "decide">;
  readonly costs: ToolCosts;
  readonly settings: () => Settings;
}

/** The tools that an agent has, or would have. */
export interface EffectiveTools {
  readonly caller: Caller;
  readonly tools: readonly Tool[];
  readonly hidden: readonly HiddenTool[];
  readonly listing: Listing;
  readonly cost: ListCost;
}

/** The tools that an agent sees, the grants they come from, and what its lists cost. */
export async function describeAgentTools(agent: AgentRecord, deps: AccessDeps): Promise<AgentTools> {
  const catalog = deps.catalog();
  const { caller, tools, hidden, listing, cost } = await effectiveTools(unrestrictedCaller(agent), deps);
  const deferred = new Set(listing.deferred);
  const pace = createPace();
  const described: AgentTool[] = [];
  for (const tool of tools) {
    await pace();
    const grantedBy = catalog.grantSources(tool, caller);
    described.push({ ...toListedTool(tool, deps.costs), grantedBy, deferred: deferred.has(tool) });
  }
  return {
    agent: agent.name,
    tools: described,
    hidden,
    cost,
    planned: catalog.planned(caller).map((tool) => tool.name),
    ...catalog.unresolvedGrants(agent),
  };
}

/** With the present toolboxes, or with others in their place. */
export async function effectiveTools(
  caller: Caller,
  { catalog, watchdog, costs, settings }: AccessDeps,
  toolboxes?: ToolboxEntries,
): Promise<EffectiveTools> {
  const { tools, hidden, named } = catalog().preview(caller, toolboxes);
  // No activated tools: this is the list that a new conversation begins with.
  const listing = makeListing(
    tools,
    new Map(),
    { named, pins: caller.pins ?? [] },
    listLimits(caller, settings()),
  );
  const listedTokens = await costs.ofList(listing.tools);
  const wholeTokens = await costs.ofList(tools);
  return {
    caller,
    tools,
    hidden: hidden.map((tool) => ({ name: tool.name, rule: watchdog.decide(tool, caller).rule })),
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
