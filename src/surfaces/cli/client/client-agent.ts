import { basename } from "node:path";
import { SCOPES } from "../../../contract/caller.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Client } from "../../../features/clients/client.ts";
import { path } from "../../../lib/http/api-path.ts";
import { nearest } from "../../../lib/nearest.ts";
import type { AgentAnswer, AgentList, TokenAnswer, TokenList, ToolboxList } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

/** Every tool of every server, now and later. */
export const EXTERNAL_TOOLS = "mcp:*";

/** Clients have their own tools for files and commands and do not manage Toolkeep, so their tokens lack these scopes. */
export const CLIENT_SCOPES = SCOPES.filter((scope) => !["files", "shell", "admin"].includes(scope));

/** The agent that a client acts as; it may not exist yet. */
export interface ClientAgent {
  readonly name: string;
  readonly description: string;
  readonly exists: boolean;
}

/**
 * Finds the agent named after the client. A project that was given toolboxes has its own agent, so that its rights do
 * not affect other projects. `wantsOwnAgent` is true if toolboxes are given now.
 */
export async function findClientAgent(
  run: Run,
  client: Client,
  project: string | null,
  wantsOwnAgent: boolean,
): Promise<ClientAgent> {
  const { agents } = await run.get<AgentList>("/api/agents");
  const findAgent = (name: string) => agents.find((agent) => agent.name === name);
  const general = {
    name: client.id,
    description: `${client.title}, made by toolkeep connect`,
    exists: findAgent(client.id) !== undefined,
  };
  if (project === null) return general;

  const description = `${client.title} in ${project.slice(-150)}, made by toolkeep connect`;
  const own = agents.find(
    (agent) => agent.description === description && agent.name.startsWith(`${client.id}-`),
  );
  if (own) return { name: own.name, description, exists: true };
  if (!wantsOwnAgent) return general;
  const base = buildAgentName(client, project);
  let name = base;
  for (let count = 2; findAgent(name); count++) name = `${base}-${count}`;
  return { name, description, exists: false };
}

/** Creates the agent with every external tool, or with the given toolboxes. If it exists, given toolboxes replace its rights. */
export async function grantRights(
  run: Run,
  { name, description, exists }: ClientAgent,
  toolboxes: readonly string[] | undefined,
): Promise<AgentAnswer> {
  const rights = toolboxes ? { toolboxes, grants: [] } : { toolboxes: [], grants: [EXTERNAL_TOOLS] };
  if (!exists) return run.send<AgentAnswer>("POST", "/api/agents", { name, description, ...rights });
  return toolboxes
    ? run.send<AgentAnswer>("PATCH", path`/api/agents/${name}`, rights)
    : run.get<AgentAnswer>(path`/api/agents/${name}`);
}

/** Whether the agent has exactly the rights of a new one. */
export function hasDefaultRights({ toolboxes, grants }: AgentAnswer["agent"]): boolean {
  return toolboxes.length === 0 && grants.length === 1 && grants[0] === EXTERNAL_TOOLS;
}

/** Throws NOT_FOUND for the first toolbox that does not exist. */
export async function checkToolboxes(run: Run, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const { toolboxes } = await run.get<ToolboxList>("/api/toolboxes");
  const known = toolboxes.map((toolbox) => toolbox.name);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  const guess = nearest(wrong, known);
  const hint = guess ? `did you mean ${guess}?` : "see toolkeep toolbox list";
  throw new ToolkeepError("NOT_FOUND", `no toolbox is named ${JSON.stringify(wrong)}; ${hint}`);
}

export function createClientToken(run: Run, agent: string, label: string): Promise<TokenAnswer> {
  return run.send<TokenAnswer>("POST", "/api/tokens", { agent, label, scopes: CLIENT_SCOPES });
}

/** Revokes the tokens with this label, except the one with id `keep`. Resolves with their number. */
export async function revokeTokens(run: Run, client: Client, label: string, keep?: string): Promise<number> {
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const isClients = (agent: string | null) => agent === client.id || agent?.startsWith(`${client.id}-`);
  const old = tokens.filter((token) => isClients(token.agent) && token.label === label && token.id !== keep);
  for (const { id } of old) await run.send("DELETE", path`/api/tokens/${id}`);
  return old.length;
}

/** Each settings file that names Toolkeep has its own label, so that reconnecting one project leaves the others alone. */
export function formatTokenLabel(client: Client, project: string | null): string {
  return project === null ? `connect ${client.id}` : `connect ${client.id} in ${project.slice(-150)}`;
}

/** `cursor-shop` for Cursor in `/home/me/Shop`; short enough to append a number. */
function buildAgentName(client: Client, project: string): string {
  const folder = basename(project)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+/, "");
  return `${client.id}-${folder || "project"}`.slice(0, 36).replace(/-+$/, "");
}
