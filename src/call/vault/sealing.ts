import { seal, unseal } from "./seal.ts";

/** The key of a home. During a rotation there are two keys: the newer one seals, and both open. */
export class Sealing {
  #key: Buffer;
  #before: Buffer | undefined;

  constructor(key: Buffer, before?: Buffer) {
    this.#key = key;
    this.#before = before;
  }

  /** Seals with the next key from now on. Values that the current key sealed can still be opened. */
  change(next: Buffer): void {
    // A second attempt at a rotation continues with the key of the first.
    if (next.equals(this.#key)) return;
    this.#before = this.#key;
    this.#key = next;
  }

  seal(plain: string, purpose: string): Uint8Array {
    return seal(plain, purpose, this.#key);
  }

  /** Throws SECRET_UNREADABLE. */
  unseal(sealed: Uint8Array, purpose: string): string {
    try {
      return unseal(sealed, purpose, this.#key);
    } catch (error) {
      if (this.#before === undefined) throw error;
      return unseal(sealed, purpose, this.#before);
    }
  }

  /** The same value sealed with the newer key; undefined: neither key opens it. */
  reseal(sealed: Uint8Array, purpose: string): Uint8Array | undefined {
    try {
      return this.seal(this.unseal(sealed, purpose), purpose);
    } catch {
      return undefined;
    }
  }
}
