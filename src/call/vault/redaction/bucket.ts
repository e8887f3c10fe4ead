/** Up to this many texts are compared one by one. */
const FEW = 4;

/**
 * Texts that may occur at one position. However many there are, the position is read once: it is hashed character by
 * character, and only texts with the same hash are compared.
 */
export class Bucket {
  readonly #texts = new Set<string>();
  /** How many texts have each hash. Undefined while there are only a few. */
  #hashes: Map<number, number> | undefined;
  #longest = 0;

  constructor(text: string) {
    this.add(text);
  }

  /** The text must not be in the bucket yet. */
  add(text: string): void {
    this.#texts.add(text);
    this.#longest = Math.max(this.#longest, text.length);
    if (this.#hashes) this.#count(text, 1);
    else if (this.#texts.size > FEW) {
      this.#hashes = new Map();
      for (const each of this.#texts) this.#count(each, 1);
    }
  }

  /** Returns how many are left. */
  delete(text: string): number {
    if (this.#texts.delete(text)) this.#count(text, -1);
    return this.#texts.size;
  }

  /** Where the longest text at `start` ends, if that is after `covered`; otherwise `covered`. */
  furthest(text: string, start: number, covered: number): number {
    if (this.#hashes) return this.#furthestByHash(text, start, covered, this.#hashes);
    let end = covered;
    for (const each of this.#texts) {
      if (start + each.length > end && text.startsWith(each, start)) end = start + each.length;
    }
    return end;
  }

  #furthestByHash(text: string, start: number, covered: number, hashes: ReadonlyMap<number, number>): number {
    const last = Math.min(text.length, start + this.#longest);
    if (last <= covered) return covered;
    let end = covered;
    let hash = 0;
    for (let at = start; at < last; at++) {
      hash = mix(hash, text.charCodeAt(at));
      if (at >= end && hashes.has(hash) && this.#texts.has(text.slice(start, at + 1))) end = at + 1;
    }
    return end;
  }

  #count(text: string, by: 1 | -1): void {
    if (!this.#hashes) return;
    let hash = 0;
    for (let at = 0; at < text.length; at++) hash = mix(hash, text.charCodeAt(at));
    const count = (this.#hashes.get(hash) ?? 0) + by;
    if (count > 0) this.#hashes.set(hash, count);
    else this.#hashes.delete(hash);
  }
}

function mix(hash: number, unit: number): number {
  return (Math.imul(hash, 0x01000193) ^ unit) | 0;
}
