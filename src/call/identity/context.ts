import type { AgentContext } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { AgentRecord } from "./contract.ts";

/** The toolbox of a scout that is given no other. */
export const SCOUT_TOOLBOX = "scout";

export function contextOf({ parentId, scout }: Pick<AgentRecord, "parentId" | "scout">): AgentContext {
  if (parentId === null) return "main";
  return scout ? "scout" : "sub-agent";
}

/** A scout works for another agent and has no sub-agents. Throws BAD_REQUEST. */
export function checkParent(name: string, scout: boolean, parent: AgentRecord | undefined): void {
  if (scout && !parent) {
    throw new ToolkeepError("BAD_REQUEST", `a scout works for another agent; name the parent of ${name}`);
  }
  if (parent?.scout) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `${parent.name} is a scout, and a scout has no sub-agents; name another parent for ${name}`,
    );
  }
}

/** No agent is nested deeper; a cycle, which nothing creates, would also end here. */
const MAX_DEPTH = 100;

/** The topmost agent above an agent; itself where it works for nobody. */
export function rootOf(
  id: string,
  agentById: (id: string) => Pick<AgentRecord, "parentId"> | undefined,
): string {
  let root = id;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const parentId = agentById(root)?.parentId;
    if (!parentId) return root;
    root = parentId;
  }
  return root;
}

/** An agent that works for a headless agent is headless, too. */
export function isHeadless(
  id: string,
  agentById: (id: string) => Pick<AgentRecord, "headless" | "parentId"> | undefined,
): boolean {
  let agent = agentById(id);
  for (let depth = 0; agent && depth < MAX_DEPTH; depth++) {
    if (agent.headless) return true;
    agent = agent.parentId === null ? undefined : agentById(agent.parentId);
  }
  return false;
}
