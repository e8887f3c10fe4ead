import type { Hub } from "../hub.ts";
import type { AgentRecord } from "../store/store.ts";
import type { AgentTools } from "./contract.ts";
import { callerOf, toolView } from "./views.ts";

/** What an agent sees, where each grant comes from, and what a conversation that begins has to search for. */
export async function agentTools(hub: Hub, agent: AgentRecord): Promise<AgentTools> {
  const caller = callerOf(hub, agent);
  const deferred = new Set((await hub.listings.for(caller)).deferred);
  return {
    agent: agent.name,
    tools: hub.catalog.visible(caller).map((tool) => ({
      ...toolView(tool),
      grantedBy: hub.catalog.grantedBy(tool, caller),
      deferred: deferred.has(tool),
    })),
    planned: hub.catalog.planned(caller).map((tool) => tool.name),
    ...hub.catalog.unanswered(agent),
  };
}
