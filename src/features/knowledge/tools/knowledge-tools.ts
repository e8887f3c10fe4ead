import type { Tool } from "../../../contract/tool.ts";
import { inboxTool } from "./inbox-tool.ts";
import type { KnowledgeToolsDeps } from "./knowledge-tool.ts";
import type { MemoryToolsDeps } from "./memory-tool.ts";
import { createMemoryTools } from "./memory-tools.ts";
import { createRecallTools } from "./recall-tools.ts";
import { createSearchTools } from "./search-tools.ts";
import { createSyncTools } from "./sync-tools.ts";

/**
 * Memories, as facts that are recalled and as context kept under keys; and documents. No tool lists or exports everything, and none takes a
 * query language of a database.
 */
export function createKnowledgeTools(deps: KnowledgeToolsDeps & MemoryToolsDeps): readonly Tool[] {
  return [
    ...createRecallTools(deps),
    ...createMemoryTools(deps),
    ...createSearchTools(deps),
    ...createSyncTools(deps),
    inboxTool(deps),
  ];
}
