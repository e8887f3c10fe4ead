import type { Tool } from "../../contract/tool.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import { TOOL_SEARCH } from "../search/find-tools.ts";
import { examplesIn, placesOf } from "../search/places.ts";
import type { ListLimits } from "./list-limits.ts";
import { toolTokens } from "./token-estimate.ts";

/** What a model is shown. Everything in it can be called, in the list or not. */
export interface Listing {
  /** With their schemas, in the order of what the caller sees. */
  readonly tools: readonly Tool[];
  /** To be found by `tool_search` first. */
  readonly deferred: readonly Tool[];
  /** Those of them that the conversation had activated, and that had to make room; longest unused first. */
  readonly retired: readonly Tool[];
  /** Set where more tools than this would be refused, and yet are in the list: none of them may be left out. */
  readonly tooManyFor?: number;
}

/** When each activated tool was last used, by name. */
export type Activated = ReadonlyMap<string, number>;

/** What a caller is known to want in its list, by name. */
export interface Keeping {
  /** Tools that its toolboxes and grants name, each by itself. */
  readonly named: ReadonlySet<string>;
  readonly pins: readonly string[];
}

const DESCRIBED_PLACES = 12;
const EXAMPLES = 3;

/**
 * What of `visible` is listed. Deferred is what only a pattern or `*` brings, and only where `tool_search` is there to
 * find it: the floor, tools that a toolbox or grant names, pinned, eager and activated ones stay. Where these are more
 * than the caller's host takes, activated ones leave first, then eager ones, those that are named last; in each case the
 * longest unused first. Pins and the floor never leave.
 */
export function listingOf(
  visible: readonly Tool[],
  activated: Activated,
  keeping: Keeping,
  limits: ListLimits,
): Listing {
  const whole: Listing = { tools: visible, deferred: [], retired: [] };
  const canSearch = visible.some(({ name }) => name === TOOL_SEARCH);
  if (!canSearch || !isTooMuch(visible, limits)) return whole;

  const ranked = ranker(activated, keeping, limits);
  const ranks = new Map(visible.map((tool) => [tool, ranked(tool)]));
  const rank = (tool: Tool) => ranks.get(tool)!;
  const kept = new Set(visible.filter((tool) => rank(tool) > NOT_KEPT));
  const most = limits.maxTools ?? Number.POSITIVE_INFINITY;
  const leaving = [...kept]
    .filter((tool) => rank(tool) < STAYS)
    .sort((a, b) => rank(a) - rank(b) || usedAt(a, activated) - usedAt(b, activated))
    .slice(0, Math.max(0, kept.size - most));
  for (const tool of leaving) kept.delete(tool);

  const deferred = visible.filter((tool) => !kept.has(tool));
  if (deferred.length === 0) return { ...whole, ...tooMany(kept.size, limits) };
  const tools = visible
    .filter((tool) => kept.has(tool))
    .map((tool) => (tool.name === TOOL_SEARCH ? namingWhatIsBehind(tool, deferred) : tool));
  return {
    tools,
    deferred,
    retired: leaving.filter((tool) => activated.has(tool.name)),
    ...tooMany(kept.size, limits),
  };
}

function tooMany(count: number, { maxTools }: ListLimits): Pick<Listing, "tooManyFor"> {
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

const NOT_KEPT = 0;
const ACTIVATED = 1;
const EAGER = 2;
const NAMED = 3;
const STAYS = 4;

/** How much a tool belongs into the list. */
function ranker(
  activated: Activated,
  { named, pins }: Keeping,
  { eager }: ListLimits,
): (tool: Tool) => number {
  const pinned = new Set(pins);
  const isEager = eagerMatcher(eager);
  return (tool) => {
    if (tool.floor || pinned.has(tool.name)) return STAYS;
    if (named.has(tool.name)) return NAMED;
    if (isEager(tool)) return EAGER;
    return activated.has(tool.name) ? ACTIVATED : NOT_KEPT;
  };
}

/** By name, by the end of a name from an underscore on, or by a pattern. */
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

function usedAt({ name }: Tool, activated: Activated): number {
  return activated.get(name) ?? 0;
}

/** Models do not search for what nobody told them of. */
function namingWhatIsBehind(search: Tool, deferred: readonly Tool[]): Tool {
  const places = placesOf(deferred);
  const named = places.slice(0, DESCRIBED_PLACES).map((place) => {
    const examples = examplesIn(place, EXAMPLES).map(({ name }) => name);
    const more = place.tools.length > examples.length ? ", …" : "";
    return `${place.name} (${place.tools.length}: ${examples.join(", ")}${more})`;
  });
  const others = places.length - named.length;
  const behind = `${named.join("; ")}${others > 0 ? `; and ${others} more` : ""}`;
  const count = deferred.length === 1 ? "1 tool that is" : `${deferred.length} tools that are`;
  const description = `${search.description} It finds ${count} not in your list: ${behind}.`;
  return { ...search, description };
}
