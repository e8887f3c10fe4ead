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
    unknown: unknownNames(hub, agent),
  };
}

/** Names among the agent's toolboxes and grants that nothing has: kept, because it may still come. */
export function unknownNames({ catalog }: Hub, agent: AgentRecord): string[] {
  return [
    ...agent.toolboxes.filter((name) => !catalog.toolboxes.byName.has(name)).map((name) => `toolbox ${name}`),
    ...agent.grants.filter((name) => catalog.get(name) === undefined),
  ];
}
