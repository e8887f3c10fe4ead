import type { Tool, ToolSource } from "../contract/tool.ts";
import { callToolTool } from "./catalog/call-tool-tool.ts";
import { type ListToolsDeps, listToolsTool } from "./catalog/list-tools.ts";
import { type AccessDeps, requestAccessTool } from "./catalog/request-access.ts";
import { type ToolSearchDeps, toolSearchTool } from "./search/tool-search.ts";

export type CatalogToolsDeps = ListToolsDeps & ToolSearchDeps & AccessDeps;

/** How every agent finds tools, calls them and asks for access. None of it grants more than a person has allowed. */
export function createCatalogTools(deps: CatalogToolsDeps): ToolSource {
  const tools: readonly Tool[] = [
    listToolsTool(deps),
    toolSearchTool(deps),
    callToolTool(),
    requestAccessTool(deps),
  ];
  return { name: "toolboxes", tools: () => tools, onChange: () => () => {} };
}
