import type { ToolSource } from "../../../contract/tool.ts";
import type { MemoryToolsDeps } from "./memory-tool.ts";
import { createMemoryTools } from "./memory-tools.ts";
import { createRecallTools } from "./recall-tools.ts";

/** Two ways to the same memories: facts that are recalled, and context that is kept under keys. */
export function createMemorySource(deps: MemoryToolsDeps): ToolSource {
  const tools = [...createRecallTools(deps), ...createMemoryTools(deps)];
  return { name: "memory", tools: () => tools, onChange: () => () => {} };
}
