import type { Tool } from "../../contract/tool.ts";
import { similarity } from "../../machine/text/similarity.ts";
import { fold } from "../../machine/text/words.ts";
import type { RankedTool } from "./tool-ranking.ts";

/** A match that represents equivalent tools of other servers. */
export interface MatchGroup extends RankedTool {
  readonly alike: readonly Tool[];
}

/** How similar two descriptions must be. */
const MIN_DESCRIPTION_SIMILARITY = 0.5;

/** The same matches in the same order, with equivalent ones grouped under the best of them. */
export function groupAlike(ranked: readonly RankedTool[]): readonly MatchGroup[] {
  const groups: (RankedTool & { readonly alike: Tool[] })[] = [];
  for (const match of ranked) {
    const group = groups.find(({ tool }) => areAlike(tool, match.tool));
    if (group) group.alike.push(match.tool);
    else groups.push({ ...match, alike: [] });
  }
  return groups;
}

function areAlike(one: Tool, other: Tool): boolean {
  if (one.origin === other.origin || plainName(one.ownName) !== plainName(other.ownName)) return false;
  return similarity(one.description, other.description) >= MIN_DESCRIPTION_SIMILARITY;
}

/** `listProjects`, `list-projects` and `list_projects` count as one name. */
function plainName(name: string): string {
  return fold(name).replaceAll(/[^a-z0-9]/g, "");
}
