import type { Tool } from "../../tool.ts";

const MAX_PLACES = 12;
const MAX_EXAMPLES = 3;

/** What to do after a search that found nothing: what there is, and how to ask for it. */
export function missed(tools: readonly Tool[], query: string): string {
  const places = new Map<string, Tool[]>();
  for (const tool of tools) {
    const place = tool.domain ?? tool.origin;
    places.set(place, [...(places.get(place) ?? []), tool]);
  }
  const largest = [...places].sort(([, a], [, b]) => b.length - a.length);
  const lines = largest.slice(0, MAX_PLACES).map(([place, those]) => {
    const examples = those.slice(0, MAX_EXAMPLES).map((tool) => tool.name);
    return `- ${place} (${those.length}): ${examples.join(", ")}${those.length > MAX_EXAMPLES ? ", …" : ""}`;
  });
  const more = largest.length - MAX_PLACES;
  return [
    `No tool of yours fits ${JSON.stringify(query.slice(0, 100))}. You have tools for:`,
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Ask again with other words for what the tool should do, or see list_tools; request_tool_access asks a person for one that you lack.",
  ].join("\n");
}
