import { isRecord } from "../lib/json.ts";
import type { Vault } from "../vault/vault.ts";
import type { Address } from "./address.ts";
import type { Params } from "./messages.ts";

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
  /** What the client can be asked. */
  readonly capabilities: Params;
}

/**
 * Session ids hold what the session follows from, sealed: whoever has the same key can take a session up that it
 * does not know, another replica or the same daemon after a restart. Many clients never recover from a lost one.
 */
export class SessionIds {
  readonly #vault: Pick<Vault, "seal" | "unseal">;

  constructor(vault: Pick<Vault, "seal" | "unseal">) {
    this.#vault = vault;
  }

  idOf(facts: SessionFacts): string {
    const { capabilities } = facts;
    const isSmall = JSON.stringify(capabilities).length <= MAX_CAPABILITIES;
    const sealed = JSON.stringify({ ...facts, capabilities: isSmall ? capabilities : {} });
    return Buffer.from(this.#vault.seal(sealed, PURPOSE)).toString("base64url");
  }

  /** Undefined for an id that was not made with this key. */
  factsOf(id: string): SessionFacts | undefined {
    const bytes = Buffer.from(id.slice(0, MAX_LENGTH), "base64url");
    if (bytes.toString("base64url") !== id) return undefined;
    try {
      const facts: unknown = JSON.parse(this.#vault.unseal(bytes, PURPOSE));
      return isRecord(facts) ? (facts as unknown as SessionFacts) : undefined;
    } catch {
      return undefined;
    }
  }
}
