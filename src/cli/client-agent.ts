import type { AgentAnswer, AgentList, TokenAnswer, TokenList } from "../api/contract.ts";
import type { Client } from "../clients/client.ts";
import { SCOPES } from "../tool.ts";
import { path } from "./api-client.ts";
import type { Run } from "./shell.ts";

/** Every tool of every server, now and later. */
const EXTERNAL_TOOLS = "mcp:*";

/** A client has hands of its own for files and commands, and manages nothing here. */
export const CLIENT_SCOPES = SCOPES.filter((scope) => !["files", "shell", "admin"].includes(scope));

/**
 * The agent that a client is: the one of its name, made with every external tool where there is none. Toolboxes that
 * are given replace what it had.
 */
export async function clientAgent(
  run: Run,
  client: Client,
  toolboxes: readonly string[] | undefined,
): Promise<AgentAnswer> {
  const rights = toolboxes ? { toolboxes, grants: [] } : { toolboxes: [], grants: [EXTERNAL_TOOLS] };
  const { agents } = await run.get<AgentList>("/api/agents");
  if (!agents.some((agent) => agent.name === client.id)) {
    const description = `${client.title}, made by toolkeep connect`;
    return run.send<AgentAnswer>("POST", "/api/agents", { name: client.id, description, ...rights });
  }
  return toolboxes
    ? run.send<AgentAnswer>("PATCH", path`/api/agents/${client.id}`, rights)
    : run.get<AgentAnswer>(path`/api/agents/${client.id}`);
}

export function newClientToken(run: Run, client: Client, label: string): Promise<TokenAnswer> {
  return run.send<TokenAnswer>("POST", "/api/tokens", { agent: client.id, label, scopes: CLIENT_SCOPES });
}

/** Ends the tokens of this label, except the one of id `keep`; resolves with how many there were. */
export async function revokeTokens(run: Run, client: Client, label: string, keep?: string): Promise<number> {
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const old = tokens.filter(
    (token) => token.agent === client.id && token.label === label && token.id !== keep,
  );
  for (const { id } of old) await run.send("DELETE", path`/api/tokens/${id}`);
  return old.length;
}

/** One for each place Toolkeep is written to, so that connecting one project anew leaves the others alone. */
export function tokenLabel(client: Client, project: string | null): string {
  return project === null ? `connect ${client.id}` : `connect ${client.id} in ${project.slice(-150)}`;
}
