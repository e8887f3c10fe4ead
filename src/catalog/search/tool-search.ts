import { output, toolOf } from "../../define-tool.ts";
import type { Caller, Tool, ToolResult, ToolStatus } from "../../tool.ts";
import type { Catalog } from "../catalog.ts";
import { nameFor } from "../grants.ts";
import { missed } from "./miss.ts";
import { type Grouped, grouped } from "./near-duplicates.ts";
import type { ToolRanking } from "./tool-ranking.ts";
import type { ToolUsage } from "./usage.ts";

export interface ToolSearchDeps {
  /** A function, because the catalogue is opened with the tool in it. */
  readonly catalog: () => Pick<Catalog, "visible" | "resolve">;
  readonly ranking: Pick<ToolRanking, "search">;
  readonly usage: Pick<ToolUsage, "searched" | "lift">;
  /** Takes what was found into the caller's list; says what a model has to know to call it. */
  readonly found: (caller: Caller, tools: readonly Tool[]) => Promise<readonly string[]>;
  readonly limits: () => {
    readonly isEnabled: boolean;
    readonly maxMatches: number;
    readonly maxChars: number;
  };
}

interface Args {
  readonly query: string;
  readonly max_results?: number;
}

/** What a search found, before it is written down. */
interface Found {
  readonly matches: readonly Omit<Grouped, "score">[];
  readonly notFound: readonly string[];
  /** Why, for names that could mean several tools. */
  readonly ambiguous: readonly string[];
}

/** The tool by which others are found. */
export const TOOL_SEARCH = "tool_search";

const ACTIVE: ToolStatus = { kind: "active" };
const DISABLED: ToolStatus = {
  kind: "disabled",
  reason: "tool_search is off (tool_search.enabled in the settings)",
};
const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 50;
const SELECT = "select:";
/** No tool has a longer one. */
const MAX_NAME = 200;
const MAX_SELECTED = 50;
const MAX_CANDIDATES = 10;
/** So many more are ranked than are shown, so that those alike do not take the place of others. */
const SPARE = 4;
const MAX_DESCRIPTION = 400;
/** Room for the lines around the schemas. */
const FRAME_CHARS = 1_000;

/** Finds tools among those the caller may call, and gives their schemas. It shows nothing else, so it needs nobody's leave. */
export function toolSearchTool(deps: ToolSearchDeps): Tool {
  return toolOf<Args>(
    {
      name: TOOL_SEARCH,
      title: "Find tools",
      domain: "toolboxes",
      description:
        "Find the tools for one step of your work and get their schemas; from then on you can call them. Say what the tool should do in one short " +
        "phrase, such as `create a calendar event`; search once for each step rather than for a whole task. `select:NAME,NAME` gets tools whose names you know.",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: 10_000,
          description: "One capability in a few words, or `select:` with names.",
        },
        max_results: {
          type: "integer",
          minimum: 1,
          maximum: MOST_RESULTS,
          description: `How many at most. Default ${DEFAULT_RESULTS}.`,
        },
      },
      required: ["query"],
      flags: { readOnly: true, concurrencySafe: true },
      scope: "tools",
      status: () => (deps.limits().isEnabled ? ACTIVE : DISABLED),
      async run({ query, max_results = DEFAULT_RESULTS }, { caller }) {
        const wanted = Math.min(max_results, deps.limits().maxMatches);
        const found = query.trimStart().toLowerCase().startsWith(SELECT)
          ? selected(query.trim().slice(SELECT.length), caller, deps)
          : await searched(query.trim(), wanted, caller, deps);
        const tools = found.matches.map(({ tool }) => tool);
        const notes = tools.length === 0 ? [] : await deps.found(caller, tools);
        return told(found, notes, query, caller, deps);
      },
    },
    { origin: "native", floor: true, wildcard: true },
    () => undefined,
  );
}

/** Names as they are called, or their own names where only one tool has it. */
function selected(list: string, caller: Caller, { catalog }: ToolSearchDeps): Found {
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
  return { matches: [...tools].map((tool) => ({ tool, alike: [] })), notFound, ambiguous };
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
async function searched(query: string, wanted: number, caller: Caller, deps: ToolSearchDeps): Promise<Found> {
  const own = deps.catalog().visible(caller);
  const named = namedBy(query, own, caller);
  const lift = await deps.usage.lift(caller, query);
  const ranked = await deps.ranking.search(query, own, wanted * SPARE, lift);
  const rest = ranked.filter(({ tool }) => !named.includes(tool) && !isWayToOthers(tool));
  const matches = [...grouped(named.map((tool) => ({ tool, score: 0 }))), ...grouped(rest)];
  const shown = matches.slice(0, wanted);
  const names = shown.flatMap(({ tool, alike }) => [tool, ...alike]).map(({ name }) => name);
  deps.usage.searched(caller, query, names);
  return { matches: shown, notFound: [], ambiguous: [] };
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

function told(
  { matches, notFound, ambiguous }: Found,
  notes: readonly string[],
  query: string,
  caller: Caller,
  deps: ToolSearchDeps,
): ToolResult {
  const missing = [...(notFound.length === 0 ? [] : [`Not found: ${notFound.join(", ")}`]), ...ambiguous];
  const structured = {
    matches: matches.map(({ tool, alike }) => ({
      id: nameFor(tool, caller),
      description: shortened(tool.description),
      ...(alike.length > 0 && { alike: alike.map((other) => nameFor(other, caller)) }),
    })),
    not_found: notFound,
  };
  if (matches.length === 0) {
    const advice = missed(deps.catalog().visible(caller), query, caller);
    return output([...missing, advice].join("\n"), structured);
  }
  const lines = [
    functionsBlock(matches, caller, deps.limits().maxChars),
    ...alikeLines(matches, caller),
    ...missing,
    ...notes,
  ];
  return output(lines.join("\n"), structured);
}

/** The schemas as models read them; where not all fit, the last ones are named instead. */
function functionsBlock(matches: Found["matches"], caller: Caller, maxChars: number): string {
  const shown: string[] = [];
  const left: string[] = [];
  let room = maxChars - FRAME_CHARS;
  for (const { tool } of matches) {
    const name = nameFor(tool, caller);
    const { description, inputSchema } = tool;
    const line = `<function>${JSON.stringify({ description, name, parameters: inputSchema })}</function>`;
    room -= line.length;
    if (room >= 0) shown.push(line);
    else left.push(name);
  }
  const rest =
    left.length === 0
      ? []
      : [`Too long to be shown here: ${left.join(", ")}. Get one with ${TOOL_SEARCH} select:NAME.`];
  return ["<functions>", ...shown, "</functions>", ...rest].join("\n");
}

function alikeLines(matches: Found["matches"], caller: Caller): readonly string[] {
  return matches
    .filter(({ alike }) => alike.length > 0)
    .map(({ tool, alike }) => {
      const others = alike.map((other) => nameFor(other, caller)).join(", ");
      return `The same as ${nameFor(tool, caller)}, of other servers: ${others}`;
    });
}

function shortened(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1)}…`;
}
