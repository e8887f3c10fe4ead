import type { AgentRecord } from "../../call/identity/contract.ts";
import type { Identity } from "../../call/identity/identity.ts";
import type { Caller } from "../../contract/caller.ts";
import { err, ok, type Result } from "../../lib/result.ts";

export interface SubAgentDeps {
  readonly identity: Pick<Identity, "agents" | "agentById">;
}

/** Those that work for the caller; for the person at the command line every sub-agent. */
export function subAgentsOf(caller: Caller, { identity }: SubAgentDeps): readonly AgentRecord[] {
  return identity
    .agents()
    .filter(({ parentId }) => (caller.operator ? parentId !== null : parentId === caller.agentId));
}

/** Reveals nothing about agents of others, not even that they exist. */
export function subAgent(name: string, caller: Caller, deps: SubAgentDeps): Result<AgentRecord, string> {
  const own = subAgentsOf(caller, deps);
  const found = own.find((agent) => agent.name === name);
  if (found) return ok(found);
  const names = own.map((agent) => agent.name).join(", ");
  return err(
    `No sub-agent of yours is named ${JSON.stringify(name)}. ${names === "" ? NONE : `Yours: ${names}.`}`,
  );
}

export const NONE = "Nobody works for you: sub-agents are made with create_agent, or by a person.";

export function agentNameOf({ identity }: SubAgentDeps, id: string): string {
  return identity.agentById(id)?.name ?? id;
}
