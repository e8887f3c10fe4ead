import type { Tool, ToolSource } from "../tool.ts";
import { callToolTool } from "./call-tool-tool.ts";
import { type ListToolsDeps, listToolsTool } from "./list-tools.ts";
import { type AccessDeps, requestAccessTool } from "./request-access.ts";
import { type ToolSearchDeps, toolSearchTool } from "./search/tool-search.ts";
import { type ToolboxToolsDeps, toolboxTools } from "./toolbox-tools.ts";

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
