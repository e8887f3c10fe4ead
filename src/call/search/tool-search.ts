import type { Caller } from "../../contract/caller.ts";
import { output, toolOf } from "../../contract/define-tool.ts";
import type { Tool, ToolResult, ToolStatus } from "../../contract/tool.ts";
import { nameFor } from "../catalog/grants.ts";
import { type FindToolsDeps, type Found, findTools, isSelection, TOOL_SEARCH } from "./find-tools.ts";
import { missed } from "./miss.ts";
import type { ToolUsage } from "./usage.ts";

export interface ToolSearchDeps extends FindToolsDeps {
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

const ACTIVE: ToolStatus = { kind: "active" };
const DISABLED: ToolStatus = {
  kind: "disabled",
  reason: "tool_search is off (tool_search.enabled in the settings)",
};
const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 50;
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
        const found = await findTools(query, wanted, caller, deps);
        const tools = found.matches.map(({ tool }) => tool);
        const names = found.matches.flatMap(({ tool, alike }) => [tool, ...alike]).map(({ name }) => name);
        if (!isSelection(query)) deps.usage.searched(caller, query.trim(), names);
        const notes = tools.length === 0 ? [] : await deps.found(caller, tools);
        return told(found, notes, query, caller, deps);
      },
    },
    { origin: "native", floor: true, wildcard: true },
    () => undefined,
  );
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
