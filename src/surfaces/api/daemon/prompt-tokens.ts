import type { Listing } from "../../../call/conversation/listing.ts";
import { keptOut, ToolCosts } from "../../../call/conversation/tool-costs.ts";
import { unrestrictedCaller } from "../../../call/identity/callers.ts";
import type { AgentRecord } from "../../../call/identity/contract.ts";
import type { Hub } from "../../../hub.ts";
import type { AgentTokens } from "./contract.ts";

const MAX_AGENTS = 20;

type Tokens = Omit<AgentTokens, "agent">;

/** How many tokens lists take in prompts, and keep out of them. Each list is measured once, until it changes. */
export class PromptTokens {
  readonly #costs = new ToolCosts();
  readonly #known = new WeakMap<Listing, Tokens>();

  async byAgent(hub: Hub): Promise<AgentTokens[]> {
    const agents: AgentTokens[] = [];
    for (const agent of hub.identity.agents().slice(0, MAX_AGENTS)) {
      const listing = await hub.listings.for(unrestrictedCaller(agent));
      agents.push({ agent: agent.name, ...(await this.#tokensOf(listing, hub, agent)) });
    }
    return agents;
  }

  async #tokensOf(listing: Listing, hub: Hub, agent: AgentRecord): Promise<Tokens> {
    const known = this.#known.get(listing);
    if (known) return known;
    const listed = await this.#costs.ofList(listing.tools);
    const whole = await this.#costs.ofList(hub.catalog.visible(unrestrictedCaller(agent)));
    const tokens = { listed, deferred: keptOut(whole, listed) };
    this.#known.set(listing, tokens);
    return tokens;
  }
}
