import type { Tool } from "../../contract/tool.ts";
import type { ListedTool, ToolView } from "../../contract/tool-shapes.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";
import type { ToolCosts } from "./tool-costs.ts";

const MAX_BRIEF = 200;

/** A tool as people see it. */
export function toToolView(tool: Tool): ToolView {
  return {
    name: tool.name,
    ownName: tool.ownName,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    origin: tool.origin,
    scope: tool.scope,
    availability: tool.availability,
    floor: tool.floor,
    flags: tool.flags,
    status: tool.status(),
  };
}

/** The same in a list. With `brief`, a long description is cut. */
export function toListedTool(tool: Tool, costs: Pick<ToolCosts, "of">, brief = false): ListedTool {
  const view = toToolView(tool);
  const isCut = brief && view.description.length > MAX_BRIEF;
  return {
    ...view,
    ...(isCut && {
      description: `${view.description.slice(0, wholeCharacterAt(view.description, MAX_BRIEF - 1))}…`,
    }),
    ...(tool.domain && { domain: tool.domain }),
    tokens: costs.of(tool),
    untrusted: tool.untrusted ?? false,
  };
}
