import type { Caller } from "../../contract/caller.ts";
import { output, toolOf } from "../../contract/define-tool.ts";
import type { Tool, ToolResult, ToolStatus } from "../../contract/tool.ts";
import { nameFor } from "../catalog/grants.ts";
import { type FindToolsDeps, findTools, isSelection, TOOL_SEARCH, type ToolMatches } from "./find-tools.ts";
import { explainMiss } from "./miss.ts";
import type { ToolUsage } from "./usage.ts";

export interface ToolSearchDeps extends FindToolsDeps {
  readonly usage: Pick<ToolUsage, "noteSearch" | "lift">;
  /** Adds the found tools to the caller's list; resolves with what the model must know to call them. */
  readonly addToList: (caller: Caller, tools: readonly Tool[]) => Promise<readonly string[]>;
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

const ACTIVE: ToolStatus = { kind: "active" };
const DISABLED: ToolStatus = {
  kind: "disabled",
  reason: "tool_search is off (tool_search.enabled in the settings)",
};
const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 50;
const MAX_DESCRIPTION = 400;
/** Room for the lines around the schemas. */
const FRAME_CHARS = 1_000;

/**
 * Finds tools among those that the caller may call, and gives their schemas. It shows nothing else, so it needs no
 * grant.
 */
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
          maximum: MAX_RESULTS,
          description: `How many at most. Default ${DEFAULT_RESULTS}.`,
        },
      },
      required: ["query"],
      flags: { readOnly: true, concurrencySafe: true },
      scope: "tools",
      status: () => (deps.limits().isEnabled ? ACTIVE : DISABLED),
      async run({ query, max_results = DEFAULT_RESULTS }, { caller }) {
        const wanted = Math.min(max_results, deps.limits().maxMatches);
        const result = await findTools(query, wanted, caller, deps);
        const tools = result.matches.map(({ tool }) => tool);
        const names = result.matches.flatMap(({ tool, alike }) => [tool, ...alike]).map(({ name }) => name);
        if (!isSelection(query)) deps.usage.noteSearch(caller, query.trim(), names);
        const notes = tools.length === 0 ? [] : await deps.addToList(caller, tools);
        return renderMatches(result, notes, query, caller, deps);
      },
    },
    { origin: "native", floor: true, wildcard: true },
    () => undefined,
  );
}

function renderMatches(
  { matches, notFound, ambiguous }: ToolMatches,
  notes: readonly string[],
  query: string,
  caller: Caller,
  deps: ToolSearchDeps,
): ToolResult {
  const missing = [...(notFound.length === 0 ? [] : [`Not found: ${notFound.join(", ")}`]), ...ambiguous];
  const structured = {
    matches: matches.map(({ tool, alike }) => ({
      id: nameFor(tool, caller),
      description: shorten(tool.description),
      ...(alike.length > 0 && { alike: alike.map((other) => nameFor(other, caller)) }),
    })),
    not_found: notFound,
  };
  if (matches.length === 0) {
    const advice = explainMiss(deps.catalog().visible(caller), query, caller);
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

/** The schemas as models read them; where not all fit, the last tools are only named. */
function functionsBlock(matches: ToolMatches["matches"], caller: Caller, maxChars: number): string {
  const lines: string[] = [];
  const omitted: string[] = [];
  let room = maxChars - FRAME_CHARS;
  for (const { tool } of matches) {
    const name = nameFor(tool, caller);
    const { description, inputSchema } = tool;
    const line = `<function>${JSON.stringify({ description, name, parameters: inputSchema })}</function>`;
    room -= line.length;
    if (room >= 0) lines.push(line);
    else omitted.push(name);
  }
  const rest =
    omitted.length === 0
      ? []
      : [`Too long to be shown here: ${omitted.join(", ")}. Get one with ${TOOL_SEARCH} select:NAME.`];
  return ["<functions>", ...lines, "</functions>", ...rest].join("\n");
}

function alikeLines(matches: ToolMatches["matches"], caller: Caller): readonly string[] {
  return matches
    .filter(({ alike }) => alike.length > 0)
    .map(({ tool, alike }) => {
      const others = alike.map((other) => nameFor(other, caller)).join(", ");
      return `The same as ${nameFor(tool, caller)}, of other servers: ${others}`;
    });
}

function shorten(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1)}…`;
}
