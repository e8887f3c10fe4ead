import { createPace } from "../lib/pace.ts";
import type { MemoryRecord, MemoryStore } from "../store/memory-record.ts";
import { TextIndex } from "../text/text-index.ts";

/** How many memories are held in all, of those used last; an owner's are held whole or not at all. */
const MAX_HELD = 20_000;
const MAX_OWNERS = 500;
const TEXT_WEIGHT = 1;
const TAG_WEIGHT = 2;

interface Chosen {
  readonly limit: number;
  readonly accept?: (memory: MemoryRecord) => boolean;
}

/** The memories of one owner, to be searched. */
export class MemoryIndex {
  readonly #memories = new Map<string, MemoryRecord>();
  readonly #texts = new TextIndex();

  get size(): number {
    return this.#memories.size;
  }

  /** Best first. */
  search(query: string, { limit, accept = () => true }: Chosen): MemoryRecord[] {
    const hits = this.#texts.search(query, { limit, accept: (id) => accept(this.#memories.get(id)!) });
    return hits.map(({ id }) => this.#memories.get(id)!);
  }

  newest({ limit, accept = () => true }: Chosen): MemoryRecord[] {
    return [...this.#memories.values()]
      .filter(accept)
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .slice(0, limit);
  }

  /** Reads what is new or changed since the last time, and drops what is gone. */
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
    this.#texts.put(memory.id, [
      { text: memory.text, weight: TEXT_WEIGHT },
      { text: memory.tags.join(" "), weight: TAG_WEIGHT },
    ]);
  }

  #drop(id: string): void {
    this.#memories.delete(id);
    this.#texts.delete(id);
  }
}

/**
 * The indexes of the owners who used theirs last. What is held is compared with the store before each use, by id and
 * revision, so that another process may change it at any time.
 */
export class MemoryIndexes {
  readonly #store: MemoryStore;
  /** In the order of their last use. */
  readonly #byOwner = new Map<string, MemoryIndex>();

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  /** Only one at a time for one owner. */
  async current(owner: string): Promise<MemoryIndex> {
    const index = this.#byOwner.get(owner) ?? new MemoryIndex();
    this.#byOwner.delete(owner);
    await index.bringUpToDate(owner, this.#store);
    this.#byOwner.set(owner, index);
    this.#makeRoom();
    return index;
  }

  /** So that a use is not noted again and again. */
  touched(memories: readonly MemoryRecord[], at: number): void {
    for (const memory of memories) this.#byOwner.get(memory.agentId)?.put({ ...memory, lastUsedAt: at });
  }

  /** The one that is in use stays, however large it is. */
  #makeRoom(): void {
    let held = 0;
    for (const { size } of this.#byOwner.values()) held += size;
    for (const [owner, { size }] of this.#byOwner) {
      if ((held <= MAX_HELD && this.#byOwner.size <= MAX_OWNERS) || this.#byOwner.size === 1) return;
      this.#byOwner.delete(owner);
      held -= size;
    }
  }
}
