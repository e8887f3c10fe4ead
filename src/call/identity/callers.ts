import { type Caller, type Role, SCOPES, type Scope, type TokenScope } from "../../contract/caller.ts";
import type { AgentRecord, TokenRecord } from "../../machine/db/store.ts";
import { contextOf } from "./context.ts";

/** The agent name under which a person at the command line or dashboard calls tools. */
export const OPERATOR = "operator";

/** An agent, seen through a token (or, for a person acting as the agent, through none). */
export function agentCaller(
  agent: AgentRecord,
  through: {
    readonly tokenId: string | null;
    readonly scopes: readonly TokenScope[] | null;
    readonly conversation: string;
    /** The name of the person who has it call. */
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

/** See `Identity.current`. */
export function currentCaller(
  caller: Caller,
  agent: AgentRecord | undefined,
  token: Pick<TokenRecord, "expiresAt"> | undefined,
  now: number,
): Caller | undefined {
  if (caller.operator) return caller;
  const isAdmitted =
    caller.tokenId === null || (token && (token.expiresAt === null || token.expiresAt > now));
  if (!agent || !isAdmitted) return undefined;
  const { toolboxes, grants, folders } = agent;
  return { ...caller, toolboxes, grants, folders };
}

/** Whoever calls as themselves, or has an agent call. */
export interface Acting {
  readonly role: Role;
  /** The name, where it is a person. */
  readonly person?: string;
  /** What they came with, where it is an admin token. */
  readonly tokenId?: string;
}

/** Null: every scope. Who is no admin has no tool that administers, whichever agent they call as. */
export function scopesOf(role: Role): readonly Scope[] | null {
  return role === "admin" ? null : NOT_ADMINISTERING;
}

/** A person: every tool, a workspace that people share. */
export function operatorCaller(conversation: string, who: Acting = { role: "admin" }): Caller {
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

const NOT_ADMINISTERING = SCOPES.filter((scope) => scope !== "admin");
