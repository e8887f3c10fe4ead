import { SealedText } from "../../../call/vault/sealed-text.ts";
import type { Vault } from "../../../call/vault/vault.ts";
import type { Address } from "../http/admission.ts";
import type { Params } from "../messages.ts";

const PURPOSE = "toolkeep/session";
const MAX_LENGTH = 8_192;
/** Declared capabilities are small; larger ones are missing from a resumed session. */
const MAX_CAPABILITIES = 2_048;

/** Everything a session can be rebuilt from. */
export interface SessionFacts {
  /** Distinguishes otherwise equal sessions. */
  readonly key: string;
  /** The token that the session belongs to. */
  readonly tokenId: string;
  readonly address: Address;
  /** The negotiated protocol version. */
  readonly version: string;
  /** The client's name for itself. */
  readonly client?: string;
  /** The requests that the client accepts. */
  readonly capabilities: Params;
}

/**
 * Session ids contain the session's facts, sealed: another replica, or the same daemon after a restart, can resume a
 * session that it does not know. Many clients never recover from a lost session.
 */
export class SessionIds {
  readonly #texts: SealedText<SessionFacts>;

  constructor(vault: Pick<Vault, "seal" | "unseal">) {
    this.#texts = new SealedText(vault, PURPOSE, MAX_LENGTH);
  }

  seal(facts: SessionFacts): string {
    const { capabilities } = facts;
    const isSmall = JSON.stringify(capabilities).length <= MAX_CAPABILITIES;
    return this.#texts.seal({ ...facts, capabilities: isSmall ? capabilities : {} });
  }

  /** Undefined for an id that was not sealed with this key. */
  unseal(id: string): SessionFacts | undefined {
    return this.#texts.open(id);
  }
}
