import { withoutCredentials } from "../../../call/vault/credentials.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { createSerial } from "../../../lib/flow/serial.ts";
import type { NewId } from "../../../lib/id.ts";
import { stableJson } from "../../../lib/json.ts";
import type { Meanings } from "../../../machine/text/meaning/meanings.ts";
import { similarity } from "../../../machine/text/similarity.ts";
import { canSee, EVERYTHING } from "../access.ts";
import type { Access } from "../knowledge.ts";
import type {
  MemoryContent,
  MemoryEdit,
  MemoryRecord,
  MemoryType,
  MemoryVersion,
  NewMemory,
} from "./contract.ts";
import { type MemoryHit, MemoryIndexes } from "./memory-indexes.ts";
import type { MemoryStore } from "./memory-store.ts";
import { isSame, metadataOf, storable, tagsOf } from "./memory-text.ts";
import { candidatesIn, rankCandidates } from "./rank-memories.ts";

export interface MemoryDeps {
  readonly store: MemoryStore;
  /** Known secrets taken out: what an agent remembers is shown to models again and again. */
  readonly redact: (text: string) => string;
  /** Absent: they are found by words alone. */
  readonly meanings?: Meanings;
  readonly clock: Clock;
  readonly newId: NewId;
  /** A memory was written, corrected, taken back or forgotten. */
  readonly onChange?: (id: string) => void;
}

/** With a key it replaces what is remembered under that key. */
export type MemoryInput = Omit<NewMemory, "agent" | "space" | "tags"> & Required<Pick<NewMemory, "tags">>;

export interface RecallRequest {
  /** Absent: the newest. */
  readonly query?: string;
  /** Only what has all of them. */
  readonly tags?: readonly string[];
  /** Only these types. */
  readonly types?: readonly MemoryType[];
  /** Only what is as this says. */
  readonly where?: (memory: MemoryRecord) => boolean;
  readonly limit: number;
  /** Absent: everything. */
  readonly access?: Access;
}

/** Who does it, and what they see. */
export interface Doing {
  readonly by?: string;
  /** Absent: everything. */
  readonly access?: Access;
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
      /** It took the place of what its key stood for. */
      readonly superseded: boolean;
    }
  | { readonly kind: "known"; readonly memory: MemoryRecord }
  | { readonly kind: "full"; readonly limit: number };

/** How much one owner can remember of each label, and without one. */
export const MAX_MEMORIES = 5_000;

const SIMILAR = 0.6;
const SIMILAR_SHOWN = 3;
const SIMILAR_COMPARED = 20;
/** A memory that is used all the time is not written all the time. */
const TOUCH_EVERY_MS = 3_600_000;

/**
 * What agents want to know later. Every memory has one owner, and only those of the owners that are named are ever looked at. The store is
 * asked before every answer, so whatever any process has remembered or forgotten counts at once. What has expired, and what the
 * one who asks may not see, is to them as if it had never been.
 */
export class Memory {
  readonly #deps: MemoryDeps;
  readonly #indexes: MemoryIndexes;
  readonly #serially = createSerial();

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#indexes = new MemoryIndexes(deps.store, deps.meanings);
  }

  /** Takes secrets out and keeps it, unless the same is known already. Throws BAD_REQUEST for a key or metadata that cannot be kept. */
  remember(owner: string, input: MemoryInput, doing: Doing = {}): Promise<Remembered> {
    return this.#serially(owner, async () => {
      const content = this.#contentOf(input, doing);
      const redacted = isRedacted(content.text, input.text);
      const near = await this.#near(owner, content.text, doing.access);
      if (content.key !== null) {
        const others = near.filter(({ key }) => key !== content.key);
        return this.#put(owner, content, { redacted, similar: alike(others, content.text) });
      }
      const known = near.find((memory) => isSame(memory.text, content.text));
      if (known) return { kind: "known", memory: known };
      return this.#create(owner, content, redacted, alike(near, content.text));
    });
  }

  /** Ranked by the query, best first; without one the newest first. They count as used. */
  async recall(owners: string | readonly string[], request: RecallRequest): Promise<readonly MemoryRecord[]> {
    const found = await this.find(typeof owners === "string" ? [owners] : owners, request);
    const memories = found.map(({ memory }) => memory);
    await this.#touch(memories);
    return memories;
  }

  /** The same with scores from 0 to 1, and nothing counts as used. */
  async find(owners: readonly string[], request: RecallRequest): Promise<readonly MemoryHit[]> {
    const { query, limit } = request;
    const accept = this.#accepting(request);
    const known = this.#accepting({ ...(request.access && { access: request.access }) });
    if (query === undefined) {
      const newest: MemoryRecord[] = [];
      for (const owner of owners)
        newest.push(...(await this.#reading(owner, (index) => index.newest({ limit, accept }))));
      newest.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      return newest.slice(0, limit).map((memory) => ({ memory, score: 0 }));
    }
    const vector = await this.#deps.meanings?.ofQuery(query);
    const candidates = [];
    for (const owner of owners)
      candidates.push(
        await this.#reading(owner, (index) => candidatesIn(index, query, vector, { limit, accept, known })),
      );
    // For the next one who asks.
    void this.#deps.meanings?.catchUp();
    return rankCandidates(candidates, query, limit);
  }

  /** For people: what of several owners fits a query best; nothing counts as used. */
  async search(
    owners: readonly string[],
    query: string,
    limit: number,
    access: Access = EVERYTHING,
  ): Promise<readonly MemoryRecord[]> {
    return (await this.find(owners, { query, limit, access })).map(({ memory }) => memory);
  }

  /** By id, or by key: the first owner that has it, of several of the same key the newest. */
  async get(
    owners: readonly string[],
    by: { readonly id: string } | { readonly key: string },
    access: Access = EVERYTHING,
  ): Promise<MemoryRecord | undefined> {
    const accept = this.#accepting({ access });
    if ("id" in by) {
      const memory = await this.#deps.store.get(by.id);
      return memory && owners.includes(memory.agentId) && accept(memory) ? memory : undefined;
    }
    for (const owner of owners) {
      const held = (await this.#deps.store.byKey(owner, by.key.trim())).filter(accept);
      const newest = held.sort((a, b) => b.updatedAt - a.updatedAt)[0];
      if (newest) return newest;
    }
    return undefined;
  }

  /** What a memory said before, newest first; also of one that was taken back. */
  async history(
    owners: readonly string[] | null,
    id: string,
    access: Access = EVERYTHING,
  ): Promise<readonly MemoryVersion[]> {
    const versions = await this.#deps.store.history(id, this.#deps.clock());
    return versions.filter(
      ({ agentId, label }) => (owners === null || owners.includes(agentId)) && canSee(access, label),
    );
  }

  /** What it said before is kept. Undefined when this owner has no such memory. */
  update(owner: string, id: string, change: MemoryEdit, doing: Doing = {}): Promise<Remembered | undefined> {
    return this.#serially(owner, async () => {
      if (!(await this.get([owner], { id }, doing.access))) return undefined;
      const text = change.text === undefined ? undefined : this.#safe(change.text);
      const { tags, metadata, ...rest } = change;
      const next: Partial<MemoryContent> = {
        ...rest,
        ...(text !== undefined && { text }),
        ...(tags && { tags: this.#tagsOf(tags) }),
        ...(metadata && { metadata: metadataOf(metadata, (value) => this.#safe(value)) }),
        writtenBy: doing.by ?? null,
      };
      const memory = await this.#deps.store.update(id, next, this.#end(doing));
      this.#deps.onChange?.(id);
      const redacted = text !== undefined && isRedacted(text, change.text!);
      return { kind: "kept", memory, redacted, similar: [], superseded: true };
    });
  }

  /** It holds no more, and what it said is kept for people. Resolves with what it was; undefined when this owner has no such memory. */
  retract(owner: string, id: string, doing: Doing = {}): Promise<MemoryRecord | undefined> {
    return this.#serially(owner, async () => {
      const memory = await this.get([owner], { id }, doing.access);
      if (!memory) return undefined;
      await this.#deps.store.retract(id, this.#end(doing));
      this.#deps.onChange?.(id);
      return memory;
    });
  }

  /** With everything it said before. Resolves with what was forgotten; undefined when this owner has no such memory. */
  forget(owner: string, id: string, { access }: Doing = {}): Promise<MemoryRecord | undefined> {
    return this.#serially(owner, async () => {
      const memory = await this.get([owner], { id }, access);
      if (memory) await this.erase(id);
      return memory;
    });
  }

  /** As `forget`, whoever's it is, also where only its history is left. */
  async erase(id: string): Promise<void> {
    await this.#deps.store.delete(id);
    this.#deps.onChange?.(id);
  }

  /** Under a key: what is there for it says something else from now on. Of each label there is one, so that nobody learns of those they may not see. */
  async #put(
    owner: string,
    content: MemoryContent,
    about: { readonly redacted: boolean; readonly similar: readonly MemoryRecord[] },
    again = true,
  ): Promise<Remembered> {
    const { store, clock } = this.#deps;
    const held = await store.byKey(owner, content.key!);
    const there = held.find(({ label }) => label === content.label);
    if (there && this.#accepting({})(there)) {
      if (saysTheSame(there, content)) return { kind: "known", memory: there };
      const memory = await store.update(there.id, content, { at: clock(), by: content.writtenBy });
      this.#deps.onChange?.(there.id);
      return { kind: "kept", memory, ...about, superseded: true };
    }
    try {
      if (there) await store.delete(there.id);
      return await this.#create(owner, content, about.redacted, about.similar);
    } catch (error) {
      // Another process put something there in the same moment.
      const isTaken = error instanceof ToolkeepError && ["NAME_TAKEN", "NOT_FOUND"].includes(error.code);
      if (!isTaken || !again) throw error;
      return this.#put(owner, content, about, false);
    }
  }

  async #create(
    owner: string,
    content: MemoryContent,
    redacted: boolean,
    similar: readonly MemoryRecord[],
  ): Promise<Remembered> {
    const { store, clock, newId } = this.#deps;
    const now = clock();
    const times = { revision: 1, createdAt: now, updatedAt: now, lastUsedAt: null };
    const memory: MemoryRecord = { id: newId("mem"), agentId: owner, ...content, ...times };
    if (!(await store.create(memory, MAX_MEMORIES))) return { kind: "full", limit: MAX_MEMORIES };
    this.#deps.onChange?.(memory.id);
    return { kind: "kept", memory, redacted, similar, superseded: false };
  }

  async #near(owner: string, text: string, access?: Access): Promise<MemoryRecord[]> {
    const index = await this.#indexes.current(owner);
    const accept = this.#accepting({ ...(access && { access }) });
    return index.search(text, { limit: SIMILAR_COMPARED, accept, known: accept }).map(({ memory }) => memory);
  }

  #reading<T>(owner: string, read: (index: Awaited<ReturnType<MemoryIndexes["current"]>>) => T): Promise<T> {
    return this.#serially(owner, async () => read(await this.#indexes.current(owner)));
  }

  #accepting({
    tags = [],
    types,
    where = () => true,
    access = EVERYTHING,
  }: Pick<RecallRequest, "tags" | "types" | "where" | "access">): (memory: MemoryRecord) => boolean {
    const now = this.#deps.clock();
    const wanted = tagsOf(tags);
    return (memory) =>
      (memory.expiresAt === null || memory.expiresAt > now) &&
      canSee(access, memory.label) &&
      (types?.includes(memory.type) ?? true) &&
      wanted.every((tag) => memory.tags.includes(tag)) &&
      where(memory);
  }

  #contentOf(
    { text, tags, key, type, metadata, label, expiresAt }: MemoryInput,
    { by }: Doing,
  ): MemoryContent {
    return {
      text: this.#safe(text),
      tags: this.#tagsOf(tags),
      key: key === undefined ? null : this.#keyOf(key),
      type: type ?? "note",
      metadata: metadataOf(metadata ?? {}, (value) => this.#safe(value)),
      label: label ?? null,
      expiresAt: expiresAt ?? null,
      writtenBy: by ?? null,
    };
  }

  #tagsOf(tags: readonly string[]): string[] {
    return tagsOf(tags.map((tag) => this.#safe(tag)));
  }

  #keyOf(key: string): string {
    const kept = this.#safe(key);
    if (kept === key.trim() && kept !== "") return kept;
    throw new ToolkeepError(
      "BAD_REQUEST",
      "a key has to be a name, such as project.release_day; this one is empty or looks like a secret",
    );
  }

  #end({ by }: Doing) {
    return { at: this.#deps.clock(), by: by ?? null };
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

function alike(near: readonly MemoryRecord[], text: string): MemoryRecord[] {
  return near
    .map((memory) => ({ memory, likeness: similarity(memory.text, text) }))
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, SIMILAR_SHOWN)
    .map(({ memory }) => memory);
}

function saysTheSame(memory: MemoryRecord, content: MemoryContent): boolean {
  const said = ({ text, tags, type, metadata, expiresAt }: MemoryContent) =>
    stableJson([text, tags, type, metadata, expiresAt]);
  return said(memory) === said(content);
}

function isRedacted(kept: string, given: string): boolean {
  return kept !== storable(given).trim();
}
