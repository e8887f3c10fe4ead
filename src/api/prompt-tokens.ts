import type { Hub } from "../hub.ts";
import type { AgentTokens } from "./home-contract.ts";
import { keptOut, ToolCosts } from "./tool-costs.ts";
import { callerOf } from "./views.ts";

const MAX_AGENTS = 20;

/** What lists cost in prompts, and what they keep out. Each tool is measured once, in slices. */
export class PromptTokens {
  readonly #costs = new ToolCosts();

  async byAgent(hub: Hub): Promise<AgentTokens[]> {
    const agents: AgentTokens[] = [];
    for (const agent of hub.identity.agents().slice(0, MAX_AGENTS)) {
      const caller = callerOf(hub, agent);
      const { tools } = await hub.listings.for(caller);
      const listed = await this.#costs.ofList(tools);
      const whole = await this.#costs.ofList(hub.catalog.visible(caller));
      agents.push({ agent: agent.name, listed, deferred: keptOut(whole, listed) });
    }
    return agents;
  }
}
