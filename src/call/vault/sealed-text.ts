import type { Vault } from "./vault.ts";

/**
 * Values that clients keep for us, as texts that they can neither read nor change. Every process with the same key opens
 * them: another replica, or the same daemon after a restart. The value itself has to say whom it is for and until when.
 */
export class SealedText<T extends object> {
  readonly #vault: Pick<Vault, "seal" | "unseal">;
  readonly #purpose: string;
  readonly #maxLength: number;

  /** Opens only texts that were sealed for the same `purpose`. */
  constructor(vault: Pick<Vault, "seal" | "unseal">, purpose: string, maxLength: number) {
    this.#vault = vault;
    this.#purpose = purpose;
    this.#maxLength = maxLength;
  }

  seal(value: T): string {
    return Buffer.from(this.#vault.seal(JSON.stringify(value), this.#purpose)).toString("base64url");
  }

  /** Undefined: it was not sealed with our key for this purpose, or was changed since. */
  open(text: unknown): T | undefined {
    if (typeof text !== "string" || text.length > this.#maxLength) return undefined;
    const bytes = Buffer.from(text, "base64url");
    // The decoder skips characters that are not base64, so appended ones would pass unnoticed.
    if (bytes.toString("base64url") !== text) return undefined;
    try {
      return JSON.parse(this.#vault.unseal(bytes, this.#purpose)) as T;
    } catch {
      return undefined;
    }
  }
}
