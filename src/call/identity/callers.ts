import { type Caller, type Role, SCOPES, type Scope, type TokenScope } from "../../contract/caller.ts";
import type { RouteActor } from "../../contract/define-route.ts";
import { contextOf } from "./context.ts";
import type { AgentRecord, TokenRecord } from "./contract.ts";

/** The agent name under which a person at the command line or dashboard calls tools. */
export const OPERATOR = "operator";

/** An agent as a caller, through a token (or through none, where a person acts as the agent). */
export function agentCaller(
  agent: AgentRecord,
  through: {
    readonly tokenId: string | null;
    readonly scopes: readonly TokenScope[] | null;
    readonly conversation: string;
    /** The name of the person who makes the agent call. */
    readonly person?: string;
    readonly interactive?: boolean;
  },
): Caller {
  return {
    agentId: agent.id,
    agentName: agent.name,
    context: contextOf(agent),
    parentId: agent.parentId,
    toolboxes: agent.toolboxes,
    grants: agent.grants,
    folders: agent.folders,
    scopes: through.scopes,
    operator: false,
    tokenId: through.tokenId,
    conversation: through.conversation,
    ...(through.person !== undefined && { person: through.person }),
    ...(agent.pins.length > 0 && { pins: agent.pins }),
    ...(agent.model !== null && { model: agent.model }),
    ...(agent.localModel && { localModel: true }),
    ...(agent.coordinator && { coordinator: true }),
    ...(through.interactive && { interactive: true }),
  };
}

/** The agent as an admin acts for it: through no token, with every scope. */
export function unrestrictedCaller(agent: AgentRecord): Caller {
  return agentCaller(agent, { tokenId: null, scopes: null, conversation: "api" });
}

/** See `Identity.currentCaller`. */
export function refreshCaller(
  caller: Caller,
  agent: AgentRecord | undefined,
  token: Pick<TokenRecord, "expiresAt"> | undefined,
  now: number,
): Caller | undefined {
  if (caller.operator) return caller;
  const hasValidToken =
    caller.tokenId === null || (token && (token.expiresAt === null || token.expiresAt > now));
  if (!agent || !hasValidToken) return undefined;
  const { toolboxes, grants, folders } = agent;
  return { ...caller, toolboxes, grants, folders };
}

/** A person or admin token that calls directly, or makes an agent call. */
export interface OperatorInfo {
  readonly role: Role;
  /** The name, if it is a person. */
  readonly person?: string;
  /** The token, if it is an admin token. */
  readonly tokenId?: string;
}

/** The sender of a request, as a caller of tools. */
export function operatorOf({ kind, id, name, role }: RouteActor): OperatorInfo {
  return kind === "person" ? { role, person: name } : { role, tokenId: id };
}

/** Null: every scope. Only admins have admin tools, whichever agent they call as. */
export function scopesOf(role: Role): readonly Scope[] | null {
  return role === "admin" ? null : NON_ADMIN_SCOPES;
}

/** A person as a caller: every tool, and a workspace that people share. */
export function operatorCaller(conversation: string, who: OperatorInfo = { role: "admin" }): Caller {
  return {
    agentId: OPERATOR,
    agentName: OPERATOR,
    context: "main",
    parentId: null,
    toolboxes: [],
    grants: [],
    folders: [],
    scopes: scopesOf(who.role),
    operator: true,
    tokenId: who.tokenId ?? null,
    conversation,
    ...(who.person !== undefined && { person: who.person }),
  };
}

const NON_ADMIN_SCOPES = SCOPES.filter((scope) => scope !== "admin");
