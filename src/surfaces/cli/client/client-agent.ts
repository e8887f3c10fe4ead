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

/** A client has hands of its own for files and commands, and manages nothing here. */
export const CLIENT_SCOPES = SCOPES.filter((scope) => !["files", "shell", "admin"].includes(scope));

/** Which agent a client is, or will be. */
export interface ClientAgent {
  readonly name: string;
  readonly description: string;
  readonly exists: boolean;
}

/**
 * The agent of the client's name. In a project that was given toolboxes it is one of the project's own, so that what
 * it may do there changes nothing elsewhere; `wantsOwn` where toolboxes are given now.
 */
export async function agentFor(
  run: Run,
  client: Client,
  project: string | null,
  wantsOwn: boolean,
): Promise<ClientAgent> {
  const { agents } = await run.get<AgentList>("/api/agents");
  const named = (name: string) => agents.find((agent) => agent.name === name);
  const general = {
    name: client.id,
    description: `${client.title}, made by toolkeep connect`,
    exists: named(client.id) !== undefined,
  };
  if (project === null) return general;

  const description = `${client.title} in ${project.slice(-150)}, made by toolkeep connect`;
  const own = agents.find(
    (agent) => agent.description === description && agent.name.startsWith(`${client.id}-`),
  );
  if (own) return { name: own.name, description, exists: true };
  if (!wantsOwn) return general;
  const base = projectAgentName(client, project);
  let name = base;
  for (let count = 2; named(name); count++) name = `${base}-${count}`;
  return { name, description, exists: false };
}

/** Makes it, with every external tool unless toolboxes are given; these replace what it had where it exists. */
export async function giveRights(
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

/** Whether it may call what a new one may, and nothing else. */
export function hasUsualRights({ toolboxes, grants }: AgentAnswer["agent"]): boolean {
  return toolboxes.length === 0 && grants.length === 1 && grants[0] === EXTERNAL_TOOLS;
}

/** Throws NOT_FOUND for the first that does not exist. */
export async function checkToolboxes(run: Run, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const { toolboxes } = await run.get<ToolboxList>("/api/toolboxes");
  const known = toolboxes.map((toolbox) => toolbox.name);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  const guess = nearest(wrong, known);
  const hint = guess ? `did you mean ${guess}?` : "toolkeep toolbox list shows those there are";
  throw new ToolkeepError("NOT_FOUND", `there is no toolbox ${JSON.stringify(wrong)}; ${hint}`);
}

export function newClientToken(run: Run, agent: string, label: string): Promise<TokenAnswer> {
  return run.send<TokenAnswer>("POST", "/api/tokens", { agent, label, scopes: CLIENT_SCOPES });
}

/** Ends the tokens of this label, except the one of id `keep`; resolves with how many there were. */
export async function revokeTokens(run: Run, client: Client, label: string, keep?: string): Promise<number> {
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const isClients = (agent: string | null) => agent === client.id || agent?.startsWith(`${client.id}-`);
  const old = tokens.filter((token) => isClients(token.agent) && token.label === label && token.id !== keep);
  for (const { id } of old) await run.send("DELETE", path`/api/tokens/${id}`);
  return old.length;
}

/** One for each place Toolkeep is written to, so that connecting one project anew leaves the others alone. */
export function tokenLabel(client: Client, project: string | null): string {
  return project === null ? `connect ${client.id}` : `connect ${client.id} in ${project.slice(-150)}`;
}

/** `cursor-shop` for Cursor in `/home/me/Shop`; short enough that a number fits behind it. */
function projectAgentName(client: Client, project: string): string {
  const folder = basename(project)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+/, "");
  return `${client.id}-${folder || "project"}`.slice(0, 36).replace(/-+$/, "");
}
