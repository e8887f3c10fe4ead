import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { nameFor } from "../catalog/grants.ts";
import { groupAlike, type MatchGroup } from "./near-duplicates.ts";
import type { RankedTool, Reason, ToolRanking } from "./tool-ranking.ts";
import type { Lift, ToolUsage } from "./usage.ts";

export interface FindToolsDeps {
  /** A function, because the catalogue is opened with these tools in it. */
  readonly catalog: () => Pick<Catalog, "visible" | "resolve">;
  readonly ranking: Pick<ToolRanking, "search" | "explain">;
  readonly usage: Pick<ToolUsage, "lift">;
}

/** What a search found, before it is rendered. */
export interface ToolMatches {
  readonly matches: readonly Match[];
  readonly notFound: readonly string[];
  /** Explanations for names that could mean several tools. */
  readonly ambiguous: readonly string[];
}

export interface Match extends MatchGroup {
  /** The query is its name, so it comes first, whatever its words are worth. */
  readonly named: boolean;
}

/** A match with the reason for its rank. */
export interface ExplainedMatch extends Match {
  readonly reason: Reason;
}

/** The tool that finds other tools. */
export const TOOL_SEARCH = "tool_search";

const SELECT = "select:";
/** No tool has a longer one. */
const MAX_NAME = 200;
const MAX_SELECTED = 50;
const MAX_CANDIDATES = 10;
/** How many times more tools are ranked than shown, so that equivalent tools do not displace others. */
const SPARE_FACTOR = 4;
const NO_REASON: Reason = { words: [], coverage: 0, meaning: 0, learned: 0 };

/** What `tool_search` finds for a caller: by a phrase, or by names after `select:`. Notes nothing. */
export async function findTools(
  query: string,
  wanted: number,
  caller: Caller,
  deps: FindToolsDeps,
): Promise<ToolMatches> {
  const names = selectedNames(query);
  return names !== undefined
    ? selectTools(names, caller, deps)
    : (await searchTools(query.trim(), wanted, caller, deps)).found;
}

/** The same with reasons, for people. `fits` narrows what is shown without changing any rank. */
export async function explainSearch(
  query: string,
  wanted: number,
  caller: Caller,
  deps: FindToolsDeps,
  fits?: (tool: Tool) => boolean,
): Promise<Omit<ToolMatches, "matches"> & { readonly matches: readonly ExplainedMatch[] }> {
  const names = selectedNames(query);
  if (names !== undefined) {
    const { matches, ...rest } = selectTools(names, caller, deps);
    const visible = fits ? matches.filter(({ tool }) => fits(tool)) : matches;
    return { ...rest, matches: visible.map((match) => ({ ...match, reason: NO_REASON })) };
  }
  const { found, own, lift } = await searchTools(query.trim(), wanted, caller, deps, fits);
  const reasons = deps.ranking.explain(query.trim(), own, found.matches, lift);
  return {
    ...found,
    matches: found.matches.map((match, at) => ({
      ...match,
      reason: match.named ? NO_REASON : reasons[at]!,
    })),
  };
}

/** Whether a query names tools instead of saying what they should do. */
export function isSelection(query: string): boolean {
  return query.trimStart().toLowerCase().startsWith(SELECT);
}

function selectedNames(query: string): string | undefined {
  return isSelection(query) ? query.trim().slice(SELECT.length) : undefined;
}

/** Selects by full name, or by a tool's own name where only one tool has it. */
function selectTools(list: string, caller: Caller, { catalog }: FindToolsDeps): ToolMatches {
  const names = [...new Set(list.split(",").map((name) => name.trim()))]
    .filter(Boolean)
    .slice(0, MAX_SELECTED);
  // A tool that a rule denies outright resolves, so that a call of it can be told why, but it is in no list.
  const own = catalog().visible(caller);
  const tools = new Set<Tool>();
  const notFound: string[] = [];
  const ambiguous: string[] = [];
  for (const name of names) {
    const resolved = catalog().resolve(name, caller);
    // A tool that is unavailable for the moment is listed but does not resolve.
    const candidates =
      resolved.ok && own.includes(resolved.value) ? [resolved.value] : findByName(name, own, caller);
    if (candidates.length === 1) tools.add(candidates[0]!);
    else notFound.push(name);
    if (candidates.length > 1) ambiguous.push(`${name} could be any of ${joinNames(candidates, caller)}`);
  }
  return {
    matches: [...tools].map((tool) => ({ tool, score: 0, alike: [], named: true })),
    notFound,
    ambiguous,
  };
}

/** Tools whose names have this ending, because models leave out prefixes. */
function findByEnding(name: string, tools: Iterable<Tool>): readonly Tool[] {
  const end = `_${name.toLowerCase().replaceAll(/[-.]/g, "_")}`;
  return [...tools].filter((tool) => tool.name.endsWith(end) || tool.ownName === name);
}

function joinNames(tools: readonly Tool[], caller: Caller): string {
  const names = tools.slice(0, MAX_CANDIDATES).map((tool) => nameFor(tool, caller));
  return `${names.join(", ")}${tools.length > MAX_CANDIDATES ? ", …" : ""}`;
}

/** Searches by a phrase. A tool that the query names comes first, whatever its words are worth. */
async function searchTools(
  query: string,
  wanted: number,
  caller: Caller,
  deps: FindToolsDeps,
  fits?: (tool: Tool) => boolean,
): Promise<{ readonly found: ToolMatches; readonly own: readonly Tool[]; readonly lift: Lift | undefined }> {
  const own = deps.catalog().visible(caller);
  const named = findByName(query, own, caller);
  const lift = await deps.usage.lift(caller, query);
  const ranked = await deps.ranking.search(query, own, fits ? own.length : wanted * SPARE_FACTOR, lift);
  const rest = ranked.filter(({ tool }) => !named.includes(tool) && !isToolFinder(tool));
  const isShown = ({ tool }: RankedTool) => fits?.(tool) ?? true;
  const matches = [
    ...groupAlike(named.map((tool) => ({ tool, score: 0 })).filter(isShown)).map(markNamed),
    ...groupAlike(rest.filter(isShown)).map((match) => ({ ...match, named: false })),
  ].slice(0, wanted);
  return { found: { matches, notFound: [], ambiguous: [] }, own, lift };
}

function markNamed(match: MatchGroup): Match {
  return { ...match, named: true };
}

/** The caller already has these tools and is looking for others. */
function isToolFinder({ name, standsFor }: Tool): boolean {
  return name === TOOL_SEARCH || standsFor !== undefined;
}

/** Finds by the full name; where no tool has it, by an ending of the name. */
function findByName(query: string, own: readonly Tool[], caller: Caller): readonly Tool[] {
  if (/\s/.test(query) || query.length > MAX_NAME) return [];
  const exact = own.filter((tool) => isNamed(tool, query.toLowerCase(), caller));
  return exact.length > 0 ? exact : findByEnding(query, own);
}

function isNamed(tool: Tool, query: string, caller: Caller): boolean {
  if (tool.name === query || nameFor(tool, caller) === query) return true;
  return tool.ownName.length === query.length && tool.ownName.toLowerCase() === query;
}
