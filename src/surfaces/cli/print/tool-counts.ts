import { path } from "../../../lib/http/api-path.ts";
import type { AgentTools } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

/** How many tools an agent sees listed, and how many only `tool_search` finds. */
export function formatToolCounts({
  listed,
  deferred,
}: Pick<AgentTools["cost"], "listed" | "deferred">): string {
  return `${listed} listed, ${deferred} found by search`;
}

/** Fetches the tool counts of an agent as text. */
export async function getToolCounts(run: Run, agent: string): Promise<string> {
  return formatToolCounts((await run.get<AgentTools>(path`/api/agents/${agent}/tools`)).cost);
}
