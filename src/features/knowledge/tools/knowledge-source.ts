import type { ToolSource } from "../../../contract/tool.ts";
import { inboxTool } from "./inbox-tool.ts";
import type { KnowledgeToolsDeps } from "./knowledge-tool.ts";
import { createSearchTools } from "./search-tools.ts";
import { createSyncTools } from "./sync-tools.ts";

/** What was gathered, as tools. None of them lists or exports everything, and none takes a query language of a database. */
export function createKnowledgeSource(deps: KnowledgeToolsDeps): ToolSource {
  const tools = [...createSearchTools(deps), ...createSyncTools(deps), inboxTool(deps)];
  return { name: "knowledge", tools: () => tools, onChange: () => () => {} };
}
