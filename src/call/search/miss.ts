import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { nameFor } from "../catalog/grants.ts";
import { examplesIn, placesOf } from "./places.ts";

const MAX_PLACES = 12;
const MAX_EXAMPLES = 3;

/** What to do after a search that found nothing: what there is, and how to ask for it. */
export function missed(tools: readonly Tool[], query: string, caller: Caller): string {
  const places = placesOf(tools);
  const lines = places.slice(0, MAX_PLACES).map((place) => {
    const examples = examplesIn(place, MAX_EXAMPLES).map((tool) => nameFor(tool, caller));
    const more = place.tools.length > MAX_EXAMPLES ? ", …" : "";
    return `- ${place.name} (${place.tools.length}): ${examples.join(", ")}${more}`;
  });
  const more = places.length - MAX_PLACES;
  return [
    `No tool of yours fits ${JSON.stringify(query.slice(0, 100))}. You have tools for:`,
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Ask again with other words for what the tool should do, or see list_tools; request_tool_access asks a person for one that you lack.",
  ].join("\n");
}
