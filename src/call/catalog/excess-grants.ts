import { isAbsolute, relative } from "node:path";
import type { Caller, FolderGrant } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { GrantRequest } from "../identity/agent-grants.ts";
import { entriesOf, grantSet, isHeld, isPattern } from "./grants.ts";
import type { ToolboxRecord } from "./toolboxes/contract.ts";

export interface GrantLookup {
  readonly toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>;
  readonly tool: (name: string) => Tool | undefined;
}

/**
 * Describes, for people, the part of a grant request that the caller does not hold itself. Callers cannot hand on what they
 * could not use: nothing outside their token's scopes, and `*` and patterns only as the very same entries, since those grow.
 */
export function findExcessGrants(
  caller: Caller,
  request: GrantRequest,
  lookup: GrantLookup,
): readonly string[] {
  if (caller.operator) return [];
  const { toolboxes = [], grants = [], folders = [] } = request;
  const missingToolboxes = toolboxes.filter(
    (name) => !lookup.toolboxes.has(name) && !(hasEveryScope(caller) && caller.toolboxes.includes(name)),
  );
  const entries = new Set([
    ...grants,
    ...toolboxes.flatMap((name) => lookup.toolboxes.get(name)?.tools ?? []),
  ]);
  const isOwn = ownershipCheck(caller, lookup);
  return [
    ...missingToolboxes.map((name) => `toolbox ${name}`),
    ...[...entries].filter((entry) => !isOwn(entry)).sort(),
    ...folders.filter((folder) => !isCovered(folder, caller.folders)).map(describeFolder),
  ];
}

function ownershipCheck(caller: Caller, lookup: GrantLookup): (entry: string) => boolean {
  const ownEntries = entriesOf(caller, lookup.toolboxes);
  const grants = grantSet(caller, lookup.toolboxes);
  return (entry) => {
    const tool = entry === "*" || isPattern(entry) ? undefined : lookup.tool(entry);
    // A name that no tool has yet may become any tool.
    return tool ? isHeld(tool, caller, grants) : hasEveryScope(caller) && ownEntries.has(entry);
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
  const fromFolder = relative(folder, path);
  return fromFolder === "" || (fromFolder.split(/[\\/]/)[0] !== ".." && !isAbsolute(fromFolder));
}

function describeFolder({ path, access }: FolderGrant): string {
  return `folder ${path} (${access})`;
}
