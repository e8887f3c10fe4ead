import type { Listing } from "../../../call/conversation/listing.ts";
import { keptOut, ToolCosts } from "../../../call/conversation/tool-costs.ts";
import type { AgentRecord } from "../../../call/identity/contract.ts";
import type { Hub } from "../../../hub.ts";
import type { AgentTokens } from "../contract/home-contract.ts";
import { callerOf } from "../views.ts";

const MAX_AGENTS = 20;

type Tokens = Omit<AgentTokens, "agent">;

/** What lists cost in prompts, and what they keep out. Each tool is measured once, in slices, and each list while it stays the same. */
export class PromptTokens {
  readonly #costs = new ToolCosts();
  readonly #known = new WeakMap<Listing, Tokens>();

  async byAgent(hub: Hub): Promise<AgentTokens[]> {
    const agents: AgentTokens[] = [];
    for (const agent of hub.identity.agents().slice(0, MAX_AGENTS)) {
      const listing = await hub.listings.for(callerOf(hub, agent));
      agents.push({ agent: agent.name, ...(await this.#tokensOf(listing, hub, agent)) });
    }
    return agents;
  }

  async #tokensOf(listing: Listing, hub: Hub, agent: AgentRecord): Promise<Tokens> {
    const known = this.#known.get(listing);
    if (known) return known;
    const listed = await this.#costs.ofList(listing.tools);
    const whole = await this.#costs.ofList(hub.catalog.visible(callerOf(hub, agent)));
    const tokens = { listed, deferred: keptOut(whole, listed) };
    this.#known.set(listing, tokens);
    return tokens;
  }
}
