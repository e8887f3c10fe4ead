import type { Tool } from "../../contract/tool.ts";
import { similarity } from "../../machine/text/similarity.ts";
import { fold } from "../../machine/text/words.ts";
import type { Ranked } from "./tool-ranking.ts";

/** A match that stands for those of other servers that do the same. */
export interface Grouped extends Ranked {
  readonly alike: readonly Tool[];
}

/** As much of two descriptions has to be the same. */
const ALIKE = 0.5;

/** The same matches in the same order, those alike gathered under the best of them. */
export function grouped(ranked: readonly Ranked[]): readonly Grouped[] {
  const groups: (Ranked & { readonly alike: Tool[] })[] = [];
  for (const match of ranked) {
    const group = groups.find(({ tool }) => areAlike(tool, match.tool));
    if (group) group.alike.push(match.tool);
    else groups.push({ ...match, alike: [] });
  }
  return groups;
}

function areAlike(one: Tool, other: Tool): boolean {
  if (one.origin === other.origin || plain(one.ownName) !== plain(other.ownName)) return false;
  return similarity(one.description, other.description) >= ALIKE;
}

/** `listProjects`, `list-projects` and `list_projects` are one name. */
function plain(name: string): string {
  return fold(name).replaceAll(/[^a-z0-9]/g, "");
}
