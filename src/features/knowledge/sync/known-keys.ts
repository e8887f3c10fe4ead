import type { KnowledgeWriter, KnownEntity } from "../index/index-record.ts";

const PAGE = 1_000;
/** A file holds no more documents than this. */
const MAX_TAKEN = 1_000_000;

/** Iterates over the entities of a source in key order, with one page in memory. */
export class KnownKeys {
  readonly #writer: Pick<KnowledgeWriter, "known">;
  readonly #sourceId: string;
  #page: readonly KnownEntity[] = [];
  #at = 0;
  #after: string | null = null;
  #isLast = false;

  constructor(writer: Pick<KnowledgeWriter, "known">, sourceId: string) {
    this.#writer = writer;
    this.#sourceId = sourceId;
  }

  /** The next entity; undefined at the end. */
  async peek(): Promise<KnownEntity | undefined> {
    if (this.#at >= this.#page.length && !this.#isLast) {
      this.#page = await this.#writer.known(this.#sourceId, this.#after, PAGE);
      this.#at = 0;
      this.#isLast = this.#page.length < PAGE;
      this.#after = this.#page.at(-1)?.key ?? this.#after;
    }
    return this.#page[this.#at];
  }

  next(): void {
    this.#at += 1;
  }

  async skip(fits: (key: string) => boolean): Promise<void> {
    for (let known = await this.peek(); known && fits(known.key); known = await this.peek()) this.next();
  }

  /** Hashes by key. */
  async take(fits: (key: string) => boolean): Promise<Map<string, string>> {
    const taken = new Map<string, string>();
    for (let known = await this.peek(); known && fits(known.key); known = await this.peek()) {
      if (taken.size < MAX_TAKEN) taken.set(known.key, known.hash);
      this.next();
    }
    return taken;
  }
}
