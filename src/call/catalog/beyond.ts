import { isAbsolute, relative } from "node:path";
import type { Caller, FolderGrant } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { ToolboxRecord } from "../../machine/db/store.ts";
import type { Gift } from "../identity/gift.ts";
import { entriesOf, grantSet, isHeld, isPattern } from "./grants.ts";

export interface Known {
  readonly toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>;
  readonly tool: (name: string) => Tool | undefined;
}

/**
 * What of a gift the caller does not have itself, for people. Nobody hands on what they could not use: not what their
 * token lacks the scope for, and of `*` and patterns only the very same, since those grow.
 */
export function beyond(caller: Caller, gift: Gift, known: Known): readonly string[] {
  if (caller.operator) return [];
  const { toolboxes = [], grants = [], folders = [] } = gift;
  const ghosts = toolboxes.filter(
    (name) => !known.toolboxes.has(name) && !(hasEveryScope(caller) && caller.toolboxes.includes(name)),
  );
  const entries = new Set([
    ...grants,
    ...toolboxes.flatMap((name) => known.toolboxes.get(name)?.tools ?? []),
  ]);
  const isOwn = ownership(caller, known);
  return [
    ...ghosts.map((name) => `toolbox ${name}`),
    ...[...entries].filter((entry) => !isOwn(entry)).sort(),
    ...folders.filter((folder) => !isCovered(folder, caller.folders)).map(shownFolder),
  ];
}

function ownership(caller: Caller, known: Known): (entry: string) => boolean {
  const own = entriesOf(caller, known.toolboxes);
  const set = grantSet(caller, known.toolboxes);
  return (entry) => {
    const tool = entry === "*" || isPattern(entry) ? undefined : known.tool(entry);
    // What no tool has yet may become anything.
    return tool ? isHeld(tool, caller, set) : hasEveryScope(caller) && own.has(entry);
  };
}

function hasEveryScope({ scopes }: Caller): boolean {
  return scopes === null;
}

function isCovered({ path, access }: FolderGrant, own: readonly FolderGrant[]): boolean {
  return own.some(
    (folder) => isInside(path, folder.path) && (folder.access === "write" || access === "read"),
  );
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way.split(/[\\/]/)[0] !== ".." && !isAbsolute(way));
}

function shownFolder({ path, access }: FolderGrant): string {
  return `folder ${path} (${access})`;
}
