import { path } from "../../../lib/http/api-path.ts";
import type { AgentTools } from "../../api/contract.ts";
import type { Run } from "../shell.ts";

/** How many tools an agent's lists begin with, and how many are left to `tool_search`. */
export function listedText({ listed, deferred }: Pick<AgentTools["cost"], "listed" | "deferred">): string {
  return `${listed} listed, ${deferred} found by search`;
}

/** The same of an agent by name. */
export async function listedOf(run: Run, agent: string): Promise<string> {
  return listedText((await run.get<AgentTools>(path`/api/agents/${agent}/tools`)).cost);
}
