import type { Vault } from "./vault.ts";

/**
 * Values that clients keep for us, as texts that they can neither read nor change. Whoever has the same key can open
 * them: another replica, or the same daemon after a restart. Whom one is for, and until when, its value must say.
 */
export class SealedText<T extends object> {
  readonly #vault: Pick<Vault, "seal" | "unseal">;
  readonly #purpose: string;
  readonly #maxLength: number;

  /** Only what was sealed for the same `purpose` is opened. */
  constructor(vault: Pick<Vault, "seal" | "unseal">, purpose: string, maxLength: number) {
    this.#vault = vault;
    this.#purpose = purpose;
    this.#maxLength = maxLength;
  }

  seal(value: T): string {
    return Buffer.from(this.#vault.seal(JSON.stringify(value), this.#purpose)).toString("base64url");
  }

  /** Undefined for what was not sealed here, or changed since. */
  open(text: unknown): T | undefined {
    if (typeof text !== "string" || text.length > this.#maxLength) return undefined;
    const bytes = Buffer.from(text, "base64url");
    // Decoding skips what is no base64: appended characters must not pass unnoticed.
    if (bytes.toString("base64url") !== text) return undefined;
    try {
      return JSON.parse(this.#vault.unseal(bytes, this.#purpose)) as T;
    } catch {
      return undefined;
    }
  }
}
