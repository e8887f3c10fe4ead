/** Keeps the beginning and the end of a stream of bytes within a limit; what lies between is dropped and counted. */
export class HeadAndTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headLength = 0;
  #tailLength = 0;
  #total = 0;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
  }

  /** How many bytes were written in all. */
  get total(): number {
    return this.#total;
  }

  get dropped(): number {
    return Math.max(0, this.#total - this.#headLimit - this.#tailLimit);
  }

  write(chunk: Buffer): void {
    this.#total += chunk.length;
    const forHead = chunk.subarray(0, this.#headLimit - this.#headLength);
    if (forHead.length > 0) this.#head.push(forHead);
    this.#headLength += forHead.length;
    const forTail = chunk.subarray(forHead.length);
    if (forTail.length > 0) this.#tail.push(forTail);
    this.#tailLength += forTail.length;
    // Joined only now and then: copying the tail for every chunk would make a flood expensive.
    if (this.#tailLength > 2 * this.#tailLimit + chunk.length) this.#tail = [this.#lastBytes()];
  }

  /** As text, with a line in place of what was dropped. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = this.#lastBytes();
    if (this.dropped === 0) return Buffer.concat([head, tail]).toString("utf8");
    // The cut may have gone through a character, which then shows as replacement marks at the seam.
    const before = head.toString("utf8").replace(/\uFFFD+$/, "");
    const after = tail.toString("utf8").replace(/^\uFFFD+/, "");
    return `${before}\n[… ${this.dropped} bytes left out …]\n${after}`;
  }

  #lastBytes(): Buffer {
    const all = Buffer.concat(this.#tail);
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - this.#tailLimit)));
    this.#tailLength = kept.length;
    return kept;
  }
}
