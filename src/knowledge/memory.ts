import type { Clock } from "../lib/clock.ts";
import type { NewId } from "../lib/id.ts";
import { createSerial } from "../lib/serial.ts";
import type { MemoryRecord, MemoryStore } from "../store/memory-record.ts";
import { similarity } from "../text/similarity.ts";
import { TextIndex } from "../text/text-index.ts";
import { withoutCredentials } from "../vault/credentials.ts";
import { MemoryIndexes } from "./memory-indexes.ts";

export interface MemoryDeps {
  readonly store: MemoryStore;
  /** Known secrets taken out: what an agent remembers is shown to models again and again. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface MemoryInput {
  readonly text: string;
  readonly tags: readonly string[];
}

export interface RecallRequest {
  /** Absent: the newest. */
  readonly query?: string;
  /** Only what has all of them. */
  readonly tags?: readonly string[];
  readonly limit: number;
}

/** What became of something that was to be remembered. */
export type Remembered =
  | {
      readonly kind: "kept";
      readonly memory: MemoryRecord;
      /** Secrets were taken out first. */
      readonly redacted: boolean;
      /** What says almost the same. */
      readonly similar: readonly MemoryRecord[];
    }
  | { readonly kind: "known"; readonly memory: MemoryRecord }
  | { readonly kind: "full"; readonly limit: number };

/** What one owner can remember, and the longest memory. */
export const MAX_MEMORIES = 5_000;
export const MAX_MEMORY_CHARS = 4_000;

const SIMILAR = 0.6;
const SIMILAR_SHOWN = 3;
const SIMILAR_COMPARED = 20;
const NOT_STORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** A memory that is used all the time is not written all the time. */
const TOUCH_EVERY_MS = 3_600_000;

/**
 * What agents want to know later. Every memory has one owner, and only that owner's are ever looked at. The store is asked
 * before every answer, so whatever any process has remembered or forgotten counts at once.
 */
export class Memory {
  readonly #deps: MemoryDeps;
  readonly #indexes: MemoryIndexes;
  readonly #serially = createSerial();

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#indexes = new MemoryIndexes(deps.store);
  }

  /** Takes secrets out and keeps it, unless the same is known already. */
  remember(owner: string, input: MemoryInput): Promise<Remembered> {
    return this.#serially(owner, async () => {
      const { store, clock, newId } = this.#deps;
      const text = this.#safe(input.text);
      const index = await this.#indexes.current(owner);
      const near = index.search(text, { limit: SIMILAR_COMPARED });
      const known = near.find((memory) => isSame(memory.text, text));
      if (known) return { kind: "known", memory: known };
      const now = clock();
      const memory: MemoryRecord = {
        id: newId("mem"),
        agentId: owner,
        text,
        tags: tagsOf(input.tags),
        revision: 1,
        createdAt: now,
        updatedAt: now,
        lastUsedAt: null,
      };
      if (!(await store.create(memory, MAX_MEMORIES))) return { kind: "full", limit: MAX_MEMORIES };
      return { kind: "kept", memory, redacted: isRedacted(text, input.text), similar: alike(near, text) };
    });
  }

  /** Ranked by the query, best first; without one the newest first. */
  recall(owner: string, { query, tags = [], limit }: RecallRequest): Promise<readonly MemoryRecord[]> {
    return this.#serially(owner, async () => {
      const index = await this.#indexes.current(owner);
      const wanted = tagsOf(tags);
      const accept = (memory: MemoryRecord) => wanted.every((tag) => memory.tags.includes(tag));
      const found =
        query === undefined ? index.newest({ limit, accept }) : index.search(query, { limit, accept });
      await this.#touch(found);
      return found;
    });
  }

  /** For people: what of several owners fits a query best; nothing counts as used. */
  async search(owners: readonly string[], query: string, limit: number): Promise<readonly MemoryRecord[]> {
    const found = new Map<string, MemoryRecord>();
    // Ranks of different owners cannot be compared, so the best of each are ranked once more, together.
    const together = new TextIndex();
    for (const owner of owners) {
      const best = await this.#serially(owner, async () =>
        (await this.#indexes.current(owner)).search(query, { limit }),
      );
      for (const memory of best) {
        found.set(memory.id, memory);
        together.put(memory.id, `${memory.text} ${memory.tags.join(" ")}`);
      }
    }
    return together.search(query, { limit }).map(({ id }) => found.get(id)!);
  }

  /** Undefined when this owner has no such memory. */
  update(owner: string, id: string, change: Partial<MemoryInput>): Promise<Remembered | undefined> {
    return this.#serially(owner, async () => {
      const { store, clock } = this.#deps;
      if (!(await this.#owned(owner, id))) return undefined;
      const text = change.text === undefined ? undefined : this.#safe(change.text);
      const memory = await store.update(id, {
        ...(text !== undefined && { text }),
        ...(change.tags && { tags: tagsOf(change.tags) }),
        updatedAt: clock(),
      });
      const redacted = text !== undefined && isRedacted(text, change.text!);
      return { kind: "kept", memory, redacted, similar: [] };
    });
  }

  /** Resolves with what was forgotten; undefined when this owner has no such memory. */
  forget(owner: string, id: string): Promise<MemoryRecord | undefined> {
    return this.#serially(owner, async () => {
      const memory = await this.#owned(owner, id);
      if (memory) await this.#deps.store.delete(id);
      return memory;
    });
  }

  async #owned(owner: string, id: string): Promise<MemoryRecord | undefined> {
    const memory = await this.#deps.store.get(id);
    return memory?.agentId === owner ? memory : undefined;
  }

  /** As it is kept: without secrets, and without what no database keeps as it is. */
  #safe(text: string): string {
    return withoutCredentials(this.#deps.redact(storable(text).trim())).text;
  }

  /** For people who tidy up. That it cannot be noted is no reason not to answer. */
  async #touch(memories: readonly MemoryRecord[]): Promise<void> {
    const now = this.#deps.clock();
    const due = memories.filter(({ lastUsedAt }) => Math.abs(now - (lastUsedAt ?? 0)) >= TOUCH_EVERY_MS);
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    await this.#deps.store.touch(ids, now).then(
      () => this.#indexes.touched(due, now),
      () => {},
    );
  }
}

/** As they are kept and compared: lower case, without spaces around, each once. */
export function tagsOf(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""))];
}

function alike(near: readonly MemoryRecord[], text: string): MemoryRecord[] {
  return near
    .map((memory) => ({ memory, likeness: similarity(memory.text, text) }))
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, SIMILAR_SHOWN)
    .map(({ memory }) => memory);
}

/** A NUL or half a surrogate pair becomes the replacement character, as the store would have it. */
function storable(text: string): string {
  return text.replaceAll(NOT_STORABLE, "\uFFFD");
}

function isRedacted(kept: string, given: string): boolean {
  return kept !== storable(given).trim();
}

function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}
