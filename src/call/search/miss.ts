import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { nameFor } from "../catalog/grants.ts";
import { groupTools, pickExamples } from "./tool-groups.ts";

const MAX_GROUPS = 12;
const MAX_EXAMPLES = 3;

/** Advice after a search that found nothing: what tools there are, and how to ask for them. */
export function explainMiss(tools: readonly Tool[], query: string, caller: Caller): string {
  const groups = groupTools(tools);
  const lines = groups.slice(0, MAX_GROUPS).map((group) => {
    const examples = pickExamples(group, MAX_EXAMPLES).map((tool) => nameFor(tool, caller));
    const more = group.tools.length > MAX_EXAMPLES ? ", …" : "";
    return `- ${group.name} (${group.tools.length}): ${examples.join(", ")}${more}`;
  });
  const more = groups.length - MAX_GROUPS;
  return [
    `No tool of yours fits ${JSON.stringify(query.slice(0, 100))}. You have tools for:`,
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Ask again with other words for what the tool should do, or see list_tools; request_tool_access asks a person for one that you lack.",
  ].join("\n");
}
