import type { Hub } from "../hub.ts";
import { createPace } from "../lib/pace.ts";
import { toolTokens } from "../session/token-estimate.ts";
import type { Tool } from "../tool.ts";
import type { AgentTokens } from "./home-contract.ts";
import { callerOf } from "./views.ts";

const MAX_AGENTS = 20;

/** What lists cost in prompts, and what they leave out. Each tool is measured once, in slices. */
export class PromptTokens {
  readonly #known = new WeakMap<Tool, number>();

  async byAgent(hub: Hub): Promise<AgentTokens[]> {
    const agents: AgentTokens[] = [];
    for (const agent of hub.identity.agents().slice(0, MAX_AGENTS)) {
      const { tools, deferred } = await hub.listings.for(callerOf(hub, agent));
      agents.push({
        agent: agent.name,
        listed: await this.#sum(tools),
        deferred: await this.#sum(deferred),
      });
    }
    return agents;
  }

  async #sum(tools: readonly Tool[]): Promise<number> {
    const pace = createPace();
    let sum = 0;
    for (const tool of tools) {
      let tokens = this.#known.get(tool);
      if (tokens === undefined) {
        tokens = toolTokens(tool);
        this.#known.set(tool, tokens);
        await pace();
      }
      sum += tokens;
    }
    return sum;
  }
}
