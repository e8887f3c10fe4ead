import type { Tool } from "../../contract/tool.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import { TOOL_SEARCH } from "../search/find-tools.ts";
import { groupTools, pickExamples } from "../search/tool-groups.ts";
import type { ListLimits } from "./list-limits.ts";
import { toolTokens } from "./token-estimate.ts";

/** The tools that a model is shown. Each can be called, listed or deferred. */
export interface Listing {
  /** With their schemas, in the order of the visible tools. */
  readonly tools: readonly Tool[];
  /** Have to be found with `tool_search` first. */
  readonly deferred: readonly Tool[];
  /** Deferred tools that the conversation had activated but that had to make room; longest unused first. */
  readonly retired: readonly Tool[];
  /** The limit of the host, where the list exceeds it because no listed tool may be left out. */
  readonly tooManyFor?: number;
}

/** When each activated tool was last used, by name. */
export type ActivatedTools = ReadonlyMap<string, number>;

/** Names that a caller wants in its list. */
export interface KeptNames {
  /** Tools that its toolboxes and grants name explicitly. */
  readonly named: ReadonlySet<string>;
  readonly pins: readonly string[];
}

const MAX_DESCRIBED_GROUPS = 12;
const MAX_EXAMPLES = 3;

/**
 * Decides what of `visible` is listed. Only tools that come through a pattern or `*` are deferred, and only if
 * `tool_search` is there to find them. The floor, pins, tools named by a toolbox or grant, eager and activated ones
 * stay. Where these exceed the host's limit, activated tools leave first, then eager ones, then named ones, each group
 * longest unused first. Pins and the floor never leave.
 */
export function makeListing(
  visible: readonly Tool[],
  activated: ActivatedTools,
  keptNames: KeptNames,
  limits: ListLimits,
): Listing {
  const whole: Listing = { tools: visible, deferred: [], retired: [] };
  const canSearch = visible.some(({ name }) => name === TOOL_SEARCH);
  if (!canSearch || !isTooMuch(visible, limits)) return whole;

  const rankOf = ranker(activated, keptNames, limits);
  const ranks = new Map(visible.map((tool) => [tool, rankOf(tool)]));
  const rank = (tool: Tool) => ranks.get(tool)!;
  const kept = new Set(visible.filter((tool) => rank(tool) > NOT_LISTED));
  const limit = limits.maxTools ?? Number.POSITIVE_INFINITY;
  const leaving = [...kept]
    .filter((tool) => rank(tool) < ALWAYS_LISTED)
    .sort((a, b) => rank(a) - rank(b) || usedAt(a, activated) - usedAt(b, activated))
    .slice(0, Math.max(0, kept.size - limit));
  for (const tool of leaving) kept.delete(tool);

  const deferred = visible.filter((tool) => !kept.has(tool));
  if (deferred.length === 0) return { ...whole, ...overLimit(kept.size, limits) };
  const tools = visible
    .filter((tool) => kept.has(tool))
    .map((tool) => (tool.name === TOOL_SEARCH ? describeDeferred(tool, deferred) : tool));
  return {
    tools,
    deferred,
    retired: leaving.filter((tool) => activated.has(tool.name)),
    ...overLimit(kept.size, limits),
  };
}

function overLimit(count: number, { maxTools }: ListLimits): Pick<Listing, "tooManyFor"> {
  return maxTools !== undefined && count > maxTools ? { tooManyFor: maxTools } : {};
}

function isTooMuch(tools: readonly Tool[], { mode, threshold, maxTokens, maxTools }: ListLimits): boolean {
  // A list that is refused helps nobody, whatever the settings say.
  if (maxTools !== undefined && tools.length > maxTools) return true;
  if (mode !== "auto") return mode;
  if (tools.length > threshold) return true;
  if (maxTokens === undefined) return false;
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0) > maxTokens;
}

const NOT_LISTED = 0;
const ACTIVATED = 1;
const EAGER = 2;
const NAMED = 3;
const ALWAYS_LISTED = 4;

/** How strongly a tool belongs in the list. */
function ranker(
  activated: ActivatedTools,
  { named, pins }: KeptNames,
  { eager }: ListLimits,
): (tool: Tool) => number {
  const pinned = new Set(pins);
  const isEager = eagerMatcher(eager);
  return (tool) => {
    if (tool.floor || pinned.has(tool.name)) return ALWAYS_LISTED;
    if (named.has(tool.name)) return NAMED;
    if (isEager(tool)) return EAGER;
    return activated.has(tool.name) ? ACTIVATED : NOT_LISTED;
  };
}

/** Matches a name, the part of a name after an underscore, or a pattern. */
function eagerMatcher(eager: readonly string[]): (tool: Tool) => boolean {
  if (eager.length === 0) return () => false;
  const patterns = eager.filter((entry) => entry.includes("*")).map(wildcard);
  const names = new Set(eager);
  return ({ name, ownName }) => {
    if (names.has(name) || names.has(ownName)) return true;
    for (let at = name.indexOf("_"); at !== -1; at = name.indexOf("_", at + 1)) {
      if (names.has(name.slice(at + 1))) return true;
    }
    return patterns.some((matches) => matches(name));
  };
}

function usedAt({ name }: Tool, activated: ActivatedTools): number {
  return activated.get(name) ?? 0;
}

/** Models do not search for what they have not been told about. */
function describeDeferred(search: Tool, deferred: readonly Tool[]): Tool {
  const groups = groupTools(deferred);
  const named = groups.slice(0, MAX_DESCRIBED_GROUPS).map((group) => {
    const examples = pickExamples(group, MAX_EXAMPLES).map(({ name }) => name);
    const more = group.tools.length > examples.length ? ", …" : "";
    return `${group.name} (${group.tools.length}: ${examples.join(", ")}${more})`;
  });
  const others = groups.length - named.length;
  const contents = `${named.join("; ")}${others > 0 ? `; and ${others} more` : ""}`;
  const count = deferred.length === 1 ? "1 tool that is" : `${deferred.length} tools that are`;
  const description = `${search.description} It finds ${count} not in your list: ${contents}.`;
  return { ...search, description };
}
