import { isAbsolute } from "node:path";
import type { Caller, FolderGrant } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { AgentInput, AgentRecord } from "./contract.ts";
import type { Identity } from "./identity.ts";

/** Grants that an agent would get. Entries of `grants` are names, patterns or `*`, as in a toolbox. */
export type GrantRequest = Pick<AgentInput, "toolboxes" | "grants" | "folders">;

export interface GrantRequestDeps {
  readonly identity: Pick<Identity, "agentById">;
  /** Describes, for people, the part of a request that the caller does not hold itself. */
  readonly findExcessGrants: (caller: Caller, request: GrantRequest) => readonly string[];
  readonly toolboxNames: () => readonly string[];
}

const MAX_SHOWN = 20;

/** No agent is nested deeper; a cycle, which nothing creates, would also end here. */
const MAX_DEPTH = 100;

/** Throws BAD_REQUEST for toolboxes that do not exist and for relative paths of folders. */
export function checkGrantRequest(
  { toolboxes = [], folders = [] }: GrantRequest,
  known: readonly string[],
): void {
  const unknown = toolboxes.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `no toolbox is named ${unknown.join(", ")}; list_toolboxes shows the toolboxes that exist`,
    );
  }
  const relative = folders.find(({ path }) => !isAbsolute(path));
  if (relative)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `expected absolute paths of folders, got ${JSON.stringify(relative.path)}`,
    );
}

/** The part of a change that grants an agent something new. */
export function findAdded(
  change: GrantRequest,
  agent: Pick<AgentRecord, "toolboxes" | "grants" | "folders">,
): GrantRequest {
  return {
    toolboxes: (change.toolboxes ?? []).filter((name) => !agent.toolboxes.includes(name)),
    grants: (change.grants ?? []).filter((name) => !agent.grants.includes(name)),
    folders: (change.folders ?? []).filter((folder) => !holds(agent.folders, folder)),
  };
}

/**
 * Describes the part of a request that a person has to approve. A folder counts as the caller's own only with exactly the same path:
 * inside its folder, the caller could replace a subfolder by a link that leads anywhere.
 */
export function findUnapproved(
  request: GrantRequest,
  caller: Caller,
  { findExcessGrants }: GrantRequestDeps,
): readonly string[] {
  if (caller.operator) return [];
  const { folders = [], ...others } = request;
  const foreignFolders = folders.filter((folder) => !holds(caller.folders, folder));
  return [
    ...findExcessGrants(caller, others),
    ...foreignFolders.map(({ path, access }) => `folder ${path} (${access})`),
  ];
}

/** Whether an agent works for another, directly or through others. */
export function worksFor(agent: AgentRecord, superiorId: string, { identity }: GrantRequestDeps): boolean {
  let { parentId } = agent;
  for (let depth = 0; parentId !== null && depth < MAX_DEPTH; depth++) {
    if (parentId === superiorId) return true;
    parentId = identity.agentById(parentId)?.parentId ?? null;
  }
  return false;
}

/** Describes a request; empty if it asks for nothing. */
export function describeGrants({ toolboxes = [], grants = [], folders = [] }: GrantRequest): string {
  return [
    ...(toolboxes.length === 0 ? [] : [`the toolboxes ${shortenList(toolboxes)}`]),
    ...(grants.length === 0 ? [] : [`the tools ${shortenList(grants)}`]),
    ...(folders.length === 0
      ? []
      : [`the folders ${shortenList(folders.map(({ path, access }) => `${path} (${access})`))}`]),
  ].join(", ");
}

export function shortenList(names: readonly string[]): string {
  const rest = names.length - MAX_SHOWN;
  return rest > 0 ? `${names.slice(0, MAX_SHOWN).join(", ")} and ${rest} more` : names.join(", ");
}

function holds(folders: readonly FolderGrant[], { path, access }: FolderGrant): boolean {
  return folders.some((own) => own.path === path && (own.access === "write" || access === "read"));
}
