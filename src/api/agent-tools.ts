import type { Hub } from "../hub.ts";
import type { AgentRecord } from "../store/store.ts";
import type { AgentTools } from "./contract.ts";
import { callerOf, toolView } from "./views.ts";

/** What an agent sees, and where each grant comes from. */
export function agentTools(hub: Hub, agent: AgentRecord): AgentTools {
  const caller = callerOf(hub, agent);
  return {
    agent: agent.name,
    tools: hub.catalog
      .visible(caller)
      .map((tool) => ({ ...toolView(tool), grantedBy: hub.catalog.grantedBy(tool, caller) })),
    planned: hub.catalog.planned(caller).map((tool) => tool.name),
    ...hub.catalog.unanswered(agent),
  };
}
