import type { Tool } from "../../contract/tool.ts";

/** Tools of one provider as models are told: a server or plugin by its name, our own by their domain. */
export interface ToolGroup {
  readonly name: string;
  readonly tools: readonly Tool[];
}

/** Largest group first. */
export function groupTools(tools: readonly Tool[]): readonly ToolGroup[] {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const name = tool.domain ?? tool.origin.slice(tool.origin.indexOf(":") + 1);
    const group = groups.get(name);
    if (group) group.push(tool);
    else groups.set(name, [tool]);
  }
  const list = [...groups].map(([name, members]) => ({ name, tools: members }));
  return list.sort((a, b) => b.tools.length - a.tools.length || (a.name < b.name ? -1 : 1));
}

/** A few examples spread over the whole list, because neighbours often do much the same. */
export function pickExamples({ tools }: ToolGroup, max: number): readonly Tool[] {
  const step = tools.length / Math.min(max, tools.length);
  return Array.from({ length: Math.min(max, tools.length) }, (_, index) => tools[Math.floor(index * step)]!);
}
