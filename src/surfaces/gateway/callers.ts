import type { Identity } from "../../call/identity/identity.ts";
import type { Caller, Host } from "../../contract/caller.ts";
import type { AgentRecord } from "../../machine/db/store.ts";
import type { Address } from "./address.ts";
import type { AgentPrincipal } from "./authenticate.ts";

const MAX_KEPT = 2_000;

interface Kept {
  readonly agent: AgentRecord;
  readonly scopes: Caller["scopes"];
  readonly caller: Caller;
}

/** Callers, the same object as long as nothing about them changed: what follows from one is then known by it. */
export class Callers {
  readonly #identity: Identity;
  readonly #kept = new Map<string, Kept>();

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  for(
    principal: Pick<AgentPrincipal, "agent" | "tokenId" | "scopes" | "interactive" | "withheld">,
    conversation: string,
    { narrowing }: Address,
    host?: Host,
  ): Caller {
    const { agent, tokenId, scopes, interactive, withheld } = principal;
    const place =
      narrowing || host || withheld
        ? JSON.stringify([narrowing ?? null, host ?? null, withheld ?? null])
        : "";
    const key = `${tokenId} ${place} ${conversation}`;
    const kept = this.#kept.get(key);
    // A changed agent is another record, and so is a token with other scopes.
    if (kept && kept.agent === agent && kept.scopes === scopes) return kept.caller;
    const caller = {
      ...this.#identity.callerFor(agent, { tokenId, scopes, conversation, interactive }),
      ...(withheld && { withheld }),
      ...(narrowing && { narrowing }),
      ...(host && { host }),
    };
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { agent, scopes, caller });
    return caller;
  }
}
