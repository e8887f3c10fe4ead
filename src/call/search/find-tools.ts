import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { nameFor } from "../catalog/grants.ts";
import { type Grouped, grouped } from "./near-duplicates.ts";
import type { Ranked, Reason, ToolRanking } from "./tool-ranking.ts";
import type { Lift, ToolUsage } from "./usage.ts";

export interface FindToolsDeps {
  /** A function, because the catalogue is opened with the tools in it. */
  readonly catalog: () => Pick<Catalog, "visible" | "resolve">;
  readonly ranking: Pick<ToolRanking, "search" | "explain">;
  readonly usage: Pick<ToolUsage, "lift">;
}

/** What a search found, before it is written down. */
export interface Found {
  readonly matches: readonly Match[];
  readonly notFound: readonly string[];
  /** Why, for names that could mean several tools. */
  readonly ambiguous: readonly string[];
}

export interface Match extends Grouped {
  /** The query is its name: it comes first, whatever its words are worth. */
  readonly named: boolean;
}

/** A match with the reason for its place. */
export interface ExplainedMatch extends Match {
  readonly reason: Reason;
}

/** The tool by which others are found. */
export const TOOL_SEARCH = "tool_search";

const SELECT = "select:";
/** No tool has a longer one. */
const MAX_NAME = 200;
const MAX_SELECTED = 50;
const MAX_CANDIDATES = 10;
/** So many more are ranked than are shown, so that those alike do not take the place of others. */
const SPARE = 4;
const NO_REASON: Reason = { words: [], coverage: 0, meaning: 0, learned: 0 };

/** What `tool_search` finds for a caller: a phrase, or `select:` with names. Notes nothing. */
export async function findTools(
  query: string,
  wanted: number,
  caller: Caller,
  deps: FindToolsDeps,
): Promise<Found> {
  const names = selectedNames(query);
  return names !== undefined
    ? selected(names, caller, deps)
    : (await searched(query.trim(), wanted, caller, deps)).found;
}

/** The same with reasons, for people; `fits` narrows what is shown and changes no place. */
export async function explainSearch(
  query: string,
  wanted: number,
  caller: Caller,
  deps: FindToolsDeps,
  fits?: (tool: Tool) => boolean,
): Promise<Omit<Found, "matches"> & { readonly matches: readonly ExplainedMatch[] }> {
  const names = selectedNames(query);
  if (names !== undefined) {
    const { matches, ...rest } = selected(names, caller, deps);
    const shown = fits ? matches.filter(({ tool }) => fits(tool)) : matches;
    return { ...rest, matches: shown.map((match) => ({ ...match, reason: NO_REASON })) };
  }
  const { found, own, lift } = await searched(query.trim(), wanted, caller, deps, fits);
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

/** Names as they are called, or their own names where only one tool has it. */
function selected(list: string, caller: Caller, { catalog }: FindToolsDeps): Found {
  const names = [...new Set(list.split(",").map((name) => name.trim()))]
    .filter(Boolean)
    .slice(0, MAX_SELECTED);
  // What a rule denies outright resolves, so that a call of it can be told why; it is in no list.
  const own = catalog().visible(caller);
  const tools = new Set<Tool>();
  const notFound: string[] = [];
  const ambiguous: string[] = [];
  for (const name of names) {
    const resolved = catalog().resolve(name, caller);
    // What is away for now is listed, and does not resolve.
    const meant = resolved.ok && own.includes(resolved.value) ? [resolved.value] : namedBy(name, own, caller);
    if (meant.length === 1) tools.add(meant[0]!);
    else notFound.push(name);
    if (meant.length > 1) ambiguous.push(`${name} could be any of ${listed(meant, caller)}`);
  }
  return {
    matches: [...tools].map((tool) => ({ tool, score: 0, alike: [], named: true })),
    notFound,
    ambiguous,
  };
}

/** Those whose names end so: models leave out prefixes. */
function endingIn(name: string, tools: Iterable<Tool>): readonly Tool[] {
  const end = `_${name.toLowerCase().replaceAll(/[-.]/g, "_")}`;
  return [...tools].filter((tool) => tool.name.endsWith(end) || tool.ownName === name);
}

function listed(tools: readonly Tool[], caller: Caller): string {
  const names = tools.slice(0, MAX_CANDIDATES).map((tool) => nameFor(tool, caller));
  return `${names.join(", ")}${tools.length > MAX_CANDIDATES ? ", …" : ""}`;
}

/** A tool that the query names comes first, whatever its words are worth. */
async function searched(
  query: string,
  wanted: number,
  caller: Caller,
  deps: FindToolsDeps,
  fits?: (tool: Tool) => boolean,
): Promise<{ readonly found: Found; readonly own: readonly Tool[]; readonly lift: Lift | undefined }> {
  const own = deps.catalog().visible(caller);
  const named = namedBy(query, own, caller);
  const lift = await deps.usage.lift(caller, query);
  const ranked = await deps.ranking.search(query, own, fits ? own.length : wanted * SPARE, lift);
  const rest = ranked.filter(({ tool }) => !named.includes(tool) && !isWayToOthers(tool));
  const isShown = ({ tool }: Ranked) => fits?.(tool) ?? true;
  const matches = [
    ...grouped(named.map((tool) => ({ tool, score: 0 })).filter(isShown)).map(asNamed),
    ...grouped(rest.filter(isShown)).map((match) => ({ ...match, named: false })),
  ].slice(0, wanted);
  return { found: { matches, notFound: [], ambiguous: [] }, own, lift };
}

function asNamed(match: Grouped): Match {
  return { ...match, named: true };
}

/** Whoever searches has this very tool already, and is after what can be done with another. */
function isWayToOthers({ name, standsFor }: Tool): boolean {
  return name === TOOL_SEARCH || standsFor !== undefined;
}

/** By its whole name; where none has it, by the end of it. */
function namedBy(query: string, own: readonly Tool[], caller: Caller): readonly Tool[] {
  if (/\s/.test(query) || query.length > MAX_NAME) return [];
  const exact = own.filter((tool) => isNamed(tool, query.toLowerCase(), caller));
  return exact.length > 0 ? exact : endingIn(query, own);
}

function isNamed(tool: Tool, query: string, caller: Caller): boolean {
  if (tool.name === query || nameFor(tool, caller) === query) return true;
  return tool.ownName.length === query.length && tool.ownName.toLowerCase() === query;
}
