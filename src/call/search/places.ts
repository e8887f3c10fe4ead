import type { Tool } from "../../contract/tool.ts";

/** Where tools come from, as models are told: a server or plugin by its name, our own by what they are about. */
export interface Place {
  readonly name: string;
  readonly tools: readonly Tool[];
}

/** The largest first. */
export function placesOf(tools: readonly Tool[]): readonly Place[] {
  const places = new Map<string, Tool[]>();
  for (const tool of tools) {
    const name = tool.domain ?? tool.origin.slice(tool.origin.indexOf(":") + 1);
    const place = places.get(name);
    if (place) place.push(tool);
    else places.set(name, [tool]);
  }
  const byName = [...places].map(([name, those]) => ({ name, tools: those }));
  return byName.sort((a, b) => b.tools.length - a.tools.length || (a.name < b.name ? -1 : 1));
}

/** A few of them from beginning to end: neighbours often do much the same. */
export function examplesIn({ tools }: Place, most: number): readonly Tool[] {
  const step = tools.length / Math.min(most, tools.length);
  return Array.from({ length: Math.min(most, tools.length) }, (_, index) => tools[Math.floor(index * step)]!);
}
