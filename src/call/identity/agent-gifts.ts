import { isAbsolute } from "node:path";
import type { Caller, FolderGrant } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { AgentRecord } from "../../machine/db/store.ts";
import type { Gift } from "./gift.ts";
import type { Identity } from "./identity.ts";

export interface GiftDeps {
  readonly identity: Pick<Identity, "agentById">;
  /** What of a gift the caller does not have itself, for people. */
  readonly beyond: (caller: Caller, gift: Gift) => readonly string[];
  readonly toolboxNames: () => readonly string[];
}

const MAX_SHOWN = 20;

/** Nobody is deeper below somebody; a circle, which nothing makes, would end here too. */
const DEEPEST = 100;

/** Throws BAD_REQUEST for toolboxes that do not exist and folders that could mean anything. */
export function checkGift({ toolboxes = [], folders = [] }: Gift, known: readonly string[]): void {
  const unknown = toolboxes.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `no toolbox is named ${unknown.join(", ")}; list_toolboxes names those there are`,
    );
  }
  const relative = folders.find(({ path }) => !isAbsolute(path));
  if (relative)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `expected absolute paths of folders, got ${JSON.stringify(relative.path)}`,
    );
}

/** What a change would give an agent that it does not have yet. */
export function addedBy(change: Gift, before: Pick<AgentRecord, "toolboxes" | "grants" | "folders">): Gift {
  return {
    toolboxes: (change.toolboxes ?? []).filter((name) => !before.toolboxes.includes(name)),
    grants: (change.grants ?? []).filter((name) => !before.grants.includes(name)),
    folders: (change.folders ?? []).filter((folder) => !holds(before.folders, folder)),
  };
}

/**
 * What of a gift a person has to allow. A folder counts as the caller's only under the very path: below it the caller
 * could put a link in its place that leads anywhere.
 */
export function exceedingPart(gift: Gift, caller: Caller, { beyond }: GiftDeps): readonly string[] {
  if (caller.operator) return [];
  const { folders = [], ...others } = gift;
  const strange = folders.filter((folder) => !holds(caller.folders, folder));
  return [...beyond(caller, others), ...strange.map(({ path, access }) => `folder ${path} (${access})`)];
}

/** Whether an agent works for another, directly or through others. */
export function isBelow(agent: AgentRecord, aboveId: string, { identity }: GiftDeps): boolean {
  let { parentId } = agent;
  for (let depth = 0; parentId !== null && depth < DEEPEST; depth++) {
    if (parentId === aboveId) return true;
    parentId = identity.agentById(parentId)?.parentId ?? null;
  }
  return false;
}

/** A gift in words; empty where there is nothing in it. */
export function giftText({ toolboxes = [], grants = [], folders = [] }: Gift): string {
  return [
    ...(toolboxes.length === 0 ? [] : [`the toolboxes ${shortened(toolboxes)}`]),
    ...(grants.length === 0 ? [] : [`the tools ${shortened(grants)}`]),
    ...(folders.length === 0
      ? []
      : [`the folders ${shortened(folders.map(({ path, access }) => `${path} (${access})`))}`]),
  ].join(", ");
}

export function shortened(names: readonly string[]): string {
  const rest = names.length - MAX_SHOWN;
  return rest > 0 ? `${names.slice(0, MAX_SHOWN).join(", ")} and ${rest} more` : names.join(", ");
}

function holds(folders: readonly FolderGrant[], { path, access }: FolderGrant): boolean {
  return folders.some((own) => own.path === path && (own.access === "write" || access === "read"));
}
