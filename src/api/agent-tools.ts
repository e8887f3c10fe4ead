import { isPattern } from "../catalog/grants.ts";
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
    ...unanswered(hub, agent),
  };
}

/** What of an agent's toolboxes and grants comes to nothing now: kept, because it may still come. */
export function unanswered(
  { catalog }: Hub,
  agent: AgentRecord,
): { readonly unknown: string[]; readonly unmatched: string[] } {
  const names = agent.grants.filter((grant) => grant !== "*" && !isPattern(grant));
  return {
    unknown: [
      ...agent.toolboxes
        .filter((name) => !catalog.toolboxes.byName.has(name))
        .map((name) => `toolbox ${name}`),
      ...names.filter((name) => catalog.get(name) === undefined),
    ],
    unmatched: agent.grants.filter((grant) => isPattern(grant) && !catalog.isMatched(grant)),
  };
}
