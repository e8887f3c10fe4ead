/** Values up to this size are seen whole by `redact`, also where the cut goes through them. */
const MARGIN = 16 * 1024;

/**
 * Keeps the beginning and the end of a stream of bytes within a limit; what lies between is dropped and counted. With
 * `redact`, what it takes out is taken out before anything is cut, so that no half of it is left over at the cut; what
 * fits is left as it is.
 */
export class HeadAndTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  /** How much more is held at each side of the cut than is shown. */
  readonly #margin: number;
  readonly #redact: (text: string) => string;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headLength = 0;
  #tailLength = 0;
  #total = 0;

  constructor(limit: number, redact?: (text: string) => string) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
    this.#margin = redact ? MARGIN : 0;
    this.#redact = redact ?? ((text) => text);
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
    const forHead = chunk.subarray(0, this.#headLimit + this.#margin - this.#headLength);
    if (forHead.length > 0) this.#head.push(forHead);
    this.#headLength += forHead.length;
    const forTail = chunk.subarray(forHead.length);
    if (forTail.length > 0) this.#tail.push(forTail);
    this.#tailLength += forTail.length;
    // Joined only now and then: copying the tail for every chunk would make a flood expensive.
    if (this.#tailLength > 2 * (this.#tailLimit + this.#margin) + chunk.length)
      this.#tail = [this.#lastBytes()];
  }

  /** Returns the text, with a line in place of the dropped part. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = this.#lastBytes();
    if (this.dropped === 0) return Buffer.concat([head, tail]).toString("utf8");
    if (head.length + tail.length === this.#total) return this.#ofWhole(Buffer.concat([head, tail]));
    const before = this.#redactBytes(head);
    const after = this.#redactBytes(tail);
    return this.#parted(before.subarray(0, before.length - this.#margin), after.subarray(this.#margin));
  }

  #ofWhole(whole: Buffer): string {
    const shown = this.#redactBytes(whole);
    if (shown.length <= this.#headLimit + this.#tailLimit) return shown.toString("utf8");
    return this.#parted(shown.subarray(0, this.#headLimit), shown.subarray(shown.length - this.#tailLimit));
  }

  #redactBytes(bytes: Buffer): Buffer {
    return this.#margin === 0 ? bytes : Buffer.from(this.#redact(bytes.toString("utf8")));
  }

  #parted(head: Buffer, tail: Buffer): string {
    // The cut may have gone through a character, which then shows as replacement marks at the seam.
    const before = head.toString("utf8").replace(/\uFFFD+$/, "");
    const after = tail.toString("utf8").replace(/^\uFFFD+/, "");
    return `${before}\n[… ${this.dropped} bytes left out …]\n${after}`;
  }

  #lastBytes(): Buffer {
    const all = Buffer.concat(this.#tail);
    const limit = this.#tailLimit + this.#margin;
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - limit)));
    this.#tailLength = kept.length;
    return kept;
  }
}
