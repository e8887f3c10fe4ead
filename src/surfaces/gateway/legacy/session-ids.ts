import { SealedText } from "../../../call/vault/sealed-text.ts";
import type { Vault } from "../../../call/vault/vault.ts";
import type { Address } from "../http/admission.ts";
import type { Params } from "../messages.ts";

const PURPOSE = "toolkeep/session";
const MAX_LENGTH = 8_192;
/** What a client declares is small; of one that declares more, a taken up session knows nothing. */
const MAX_CAPABILITIES = 2_048;

/** What a session follows from. */
export interface SessionFacts {
  /** Tells apart sessions that are alike. */
  readonly key: string;
  /** The token it belongs to. */
  readonly tokenId: string;
  readonly address: Address;
  /** The version of the protocol that was agreed on. */
  readonly version: string;
  /** How the client calls itself. */
  readonly client?: string;
  /** What the client can be asked. */
  readonly capabilities: Params;
}

/**
 * Session ids hold what the session follows from, sealed: whoever has the same key can take a session up that it
 * does not know, another replica or the same daemon after a restart. Many clients never recover from a lost one.
 */
export class SessionIds {
  readonly #texts: SealedText<SessionFacts>;

  constructor(vault: Pick<Vault, "seal" | "unseal">) {
    this.#texts = new SealedText(vault, PURPOSE, MAX_LENGTH);
  }

  idOf(facts: SessionFacts): string {
    const { capabilities } = facts;
    const isSmall = JSON.stringify(capabilities).length <= MAX_CAPABILITIES;
    return this.#texts.seal({ ...facts, capabilities: isSmall ? capabilities : {} });
  }

  /** Undefined for an id that was not made with this key. */
  factsOf(id: string): SessionFacts | undefined {
    return this.#texts.open(id);
  }
}
