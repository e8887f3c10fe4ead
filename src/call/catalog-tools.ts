import type { Tool, ToolSource } from "../contract/tool.ts";
import { callToolTool } from "./catalog/call-tool-tool.ts";
import { type ListToolsDeps, listToolsTool } from "./catalog/list-tools.ts";
import { type AccessDeps, requestAccessTool } from "./catalog/request-access.ts";
import { type ToolboxToolsDeps, toolboxTools } from "./catalog/toolboxes/toolbox-tools.ts";
import { type ToolSearchDeps, toolSearchTool } from "./search/tool-search.ts";

export type CatalogToolsDeps = ListToolsDeps & ToolSearchDeps & AccessDeps & ToolboxToolsDeps;

/**
 * What agents can do with tools and toolboxes. Looking and asking is for everybody; managing toolboxes has to be granted
 * by name. None of it gives anybody more than a person has allowed.
 */
export function createCatalogTools(deps: CatalogToolsDeps): ToolSource {
  const tools: readonly Tool[] = [
    listToolsTool(deps),
    toolSearchTool(deps),
    callToolTool(),
    requestAccessTool(deps),
    ...toolboxTools(deps),
  ];
  return { name: "toolboxes", tools: () => tools, onChange: () => () => {} };
}
