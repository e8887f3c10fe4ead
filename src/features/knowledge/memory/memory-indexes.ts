import { createPace } from "../../../lib/flow/pace.ts";
import type { Part } from "../../../machine/text/index/part-statistics.ts";
import { type SearchOptions, TextIndex } from "../../../machine/text/index/text-index.ts";
import type { Vector } from "../../../machine/text/meaning/embedder.ts";
import type { Meanings } from "../../../machine/text/meaning/meanings.ts";
import type { MemoryRecord } from "./contract.ts";
import type { MemoryStore } from "./memory-store.ts";

/** How many memories are kept in memory; the least recently used owners are evicted first, each as a whole. */
const MAX_HELD = 20_000;
const MAX_OWNERS = 500;
const TEXT_WEIGHT = 1;
const TAG_WEIGHT = 2;
const KEY_WEIGHT = 2;
/** Only the beginning of a longer text is embedded. */
const MAX_MEANT_CHARS = 2_000;

export type Chosen = SearchOptions<MemoryRecord>;

export interface MemoryHit {
  readonly memory: MemoryRecord;
  /** Comparable within one search only. */
  readonly score: number;
}

/** A search index over the memories of one owner. */
export class MemoryIndex {
  readonly #memories = new Map<string, MemoryRecord>();
  readonly #texts = new TextIndex();
  readonly #meanings: Meanings | undefined;
  /** Cached until a memory is added or removed. */
  #part: Part | undefined;

  constructor(meanings?: Meanings) {
    this.#meanings = meanings;
  }

  get size(): number {
    return this.#memories.size;
  }

  /** By words, best first. */
  search(query: string, { limit, accept = () => true, known }: Chosen): MemoryHit[] {
    const hits = this.#texts.search(query, {
      limit,
      accept: (id) => accept(this.#memories.get(id)!),
      ...(known && { known: (id) => known(this.#memories.get(id)!) }),
    });
    return hits.map(({ id, score }) => ({ memory: this.#memories.get(id)!, score }));
  }

  /** By meaning, in no order; the score is the cosine. */
  nearest(query: Vector, { limit, accept = () => true }: Chosen): MemoryHit[] {
    // Filtered first, so that rejected memories take no place.
    const part = this.#partOf(accept);
    const near = this.#meanings?.nearest(query, part, limit) ?? [];
    return near.map(({ at, similarity }) => ({
      memory: this.#memories.get(part.id(at))!,
      score: similarity,
    }));
  }

  /** The similarity of each memory to a query; undefined where it is not known. */
  nearness(query: Vector): (id: string) => number | undefined {
    const part = this.#ids();
    const similarity = this.#meanings?.similarityTo(query, part);
    const places = new Map(Array.from({ length: part.size }, (_, at) => [part.id(at), at]));
    return (id) => (places.has(id) ? similarity?.(places.get(id)!) : undefined);
  }

  newest({ limit, accept = () => true }: Chosen): MemoryRecord[] {
    return [...this.#memories.values()]
      .filter(accept)
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .slice(0, limit);
  }

  /** Reads new and changed memories and drops deleted ones. */
  async bringUpToDate(owner: string, store: MemoryStore): Promise<void> {
    const now = new Map((await store.revisions(owner)).map(({ id, revision }) => [id, revision]));
    for (const id of [...this.#memories.keys()]) if (!now.has(id)) this.#drop(id);
    const due = [...now].flatMap(([id, revision]) =>
      this.#memories.get(id)?.revision === revision ? [] : [id],
    );
    const pace = createPace();
    for (const memory of await store.among(due)) {
      this.put(memory);
      await pace();
    }
  }

  put(memory: MemoryRecord): void {
    const known = this.#memories.get(memory.id);
    this.#memories.set(memory.id, memory);
    if (known?.revision === memory.revision) return;
    if (!known) this.#part = undefined;
    const { id, key, text, tags } = memory;
    this.#texts.put(id, [
      { text, weight: TEXT_WEIGHT },
      { text: tags.join(" "), weight: TAG_WEIGHT },
      { text: key ?? "", weight: KEY_WEIGHT },
    ]);
    this.#meanings?.take(id, `${key ?? ""} ${text}`.slice(0, MAX_MEANT_CHARS).trim());
  }

  /** Drops the vectors of an index that is no longer used. */
  clear(): void {
    for (const id of this.#memories.keys()) this.#meanings?.forget(id);
  }

  #drop(id: string): void {
    this.#memories.delete(id);
    this.#texts.delete(id);
    this.#meanings?.forget(id);
    this.#part = undefined;
  }

  #partOf(accept: (memory: MemoryRecord) => boolean): Part {
    const ids: string[] = [];
    for (const [id, memory] of this.#memories) if (accept(memory)) ids.push(id);
    return ids.length === this.size ? this.#ids() : { size: ids.length, id: (at) => ids[at]! };
  }

  #ids(): Part {
    if (this.#part) return this.#part;
    const ids = [...this.#memories.keys()];
    this.#part = { size: ids.length, id: (at) => ids[at]! };
    return this.#part;
  }
}

/**
 * The indexes of the most recently used owners. Before each use an index is compared with the store by id and revision,
 * because another process may have changed it.
 */
export class MemoryIndexes {
  readonly #store: MemoryStore;
  readonly #meanings: Meanings | undefined;
  /** In order of last use. */
  readonly #byOwner = new Map<string, MemoryIndex>();

  constructor(store: MemoryStore, meanings?: Meanings) {
    this.#store = store;
    this.#meanings = meanings;
  }

  /** Call it for one owner at a time. */
  async current(owner: string): Promise<MemoryIndex> {
    const index = this.#byOwner.get(owner) ?? new MemoryIndex(this.#meanings);
    this.#byOwner.delete(owner);
    await index.bringUpToDate(owner, this.#store);
    this.#byOwner.set(owner, index);
    this.#makeRoom();
    return index;
  }

  /** Remembers the time of use, so that it is not written again soon. */
  touched(memories: readonly MemoryRecord[], at: number): void {
    for (const memory of memories) this.#byOwner.get(memory.agentId)?.put({ ...memory, lastUsedAt: at });
  }

  /** The index in use stays, however large it is. */
  #makeRoom(): void {
    let held = 0;
    for (const { size } of this.#byOwner.values()) held += size;
    for (const [owner, index] of this.#byOwner) {
      if ((held <= MAX_HELD && this.#byOwner.size <= MAX_OWNERS) || this.#byOwner.size === 1) return;
      this.#byOwner.delete(owner);
      index.clear();
      held -= index.size;
    }
  }
}
