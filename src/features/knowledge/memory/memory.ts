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
  /** Removes known secrets, because memories are shown to models again and again. */
  readonly redact: (text: string) => string;
  /** Absent: memories are found by words alone. */
  readonly meanings?: Meanings;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Called after a memory was written, changed, retracted or deleted. */
  readonly onChange?: (id: string) => void;
}

/** With a key it replaces what is remembered under that key. */
export type MemoryInput = Omit<NewMemory, "agent" | "space" | "tags"> & Required<Pick<NewMemory, "tags">>;

export interface RecallRequest {
  /** Absent: the newest. */
  readonly query?: string;
  /** Only memories with all of these. */
  readonly tags?: readonly string[];
  /** Only these types. */
  readonly types?: readonly MemoryType[];
  /** Only memories that match. */
  readonly where?: (memory: MemoryRecord) => boolean;
  readonly limit: number;
  /** Absent: everything. */
  readonly access?: Access;
}

/** Who makes a change, and what they may see. */
export interface MemoryOperation {
  readonly by?: string;
  /** Absent: everything. */
  readonly access?: Access;
}

/** The result of remembering something. */
export type Remembered =
  | {
      readonly kind: "kept";
      readonly memory: MemoryRecord;
      /** Secrets were removed from it. */
      readonly redacted: boolean;
      /** Memories with almost the same text. */
      readonly similar: readonly MemoryRecord[];
      /** It replaced the content that its key had. */
      readonly superseded: boolean;
    }
  | { readonly kind: "known"; readonly memory: MemoryRecord }
  | { readonly kind: "full"; readonly limit: number };

/** How much one owner can remember of each label, and without one. */
export const MAX_MEMORIES = 5_000;

const SIMILAR = 0.6;
const SIMILAR_SHOWN = 3;
const SIMILAR_COMPARED = 20;
/** The time of use is written at most this often. */
const TOUCH_EVERY_MS = 3_600_000;

/**
 * What agents remember. Every memory has one owner, and only memories of the named owners are read. The store is read
 * before every answer, so changes by other processes count at once. Expired memories, and memories with a label that the
 * caller may not see, are treated as if they did not exist.
 */
export class Memory {
  readonly #deps: MemoryDeps;
  readonly #indexes: MemoryIndexes;
  readonly #serially = createSerial();

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#indexes = new MemoryIndexes(deps.store, deps.meanings);
  }

  /** Removes secrets and stores it, unless the same is known already. Throws BAD_REQUEST for an invalid key or metadata. */
  remember(owner: string, input: MemoryInput, operation: MemoryOperation = {}): Promise<Remembered> {
    return this.#serially(owner, async () => {
      const content = this.#contentOf(input, operation);
      const redacted = isRedacted(content.text, input.text);
      const near = await this.#findNear(owner, content.text, operation.access);
      if (content.key !== null) {
        const others = near.filter(({ key }) => key !== content.key);
        return this.#put(owner, content, { redacted, similar: findSimilar(others, content.text) });
      }
      const known = near.find((memory) => isSame(memory.text, content.text));
      if (known) return { kind: "known", memory: known };
      return this.#create(owner, content, redacted, findSimilar(near, content.text));
    });
  }

  /** Best first; without a query, newest first. Marks them as used. */
  async recall(owners: string | readonly string[], request: RecallRequest): Promise<readonly MemoryRecord[]> {
    const found = await this.find(typeof owners === "string" ? [owners] : owners, request);
    const memories = found.map(({ memory }) => memory);
    await this.#touch(memories);
    return memories;
  }

  /** The same with scores from 0 to 1, without marking them as used. */
  async find(owners: readonly string[], request: RecallRequest): Promise<readonly MemoryHit[]> {
    const { query, limit } = request;
    const accept = this.#createFilter(request);
    const known = this.#createFilter({ ...(request.access && { access: request.access }) });
    if (query === undefined) {
      const newest: MemoryRecord[] = [];
      for (const owner of owners)
        newest.push(...(await this.#readIndex(owner, (index) => index.newest({ limit, accept }))));
      newest.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      return newest.slice(0, limit).map((memory) => ({ memory, score: 0 }));
    }
    const vector = await this.#deps.meanings?.ofQuery(query);
    const candidates = [];
    for (const owner of owners)
      candidates.push(
        await this.#readIndex(owner, (index) => candidatesIn(index, query, vector, { limit, accept, known })),
      );
    // Embeds new memories for the next query.
    void this.#deps.meanings?.catchUp();
    return rankCandidates(candidates, query, limit);
  }

  /** For people: searches several owners without marking memories as used. */
  async search(
    owners: readonly string[],
    query: string,
    limit: number,
    access: Access = EVERYTHING,
  ): Promise<readonly MemoryRecord[]> {
    return (await this.find(owners, { query, limit, access })).map(({ memory }) => memory);
  }

  /** By id or by key. The first owner that has it counts; of several with the same key, the newest. */
  async get(
    owners: readonly string[],
    by: { readonly id: string } | { readonly key: string },
    access: Access = EVERYTHING,
  ): Promise<MemoryRecord | undefined> {
    const accept = this.#createFilter({ access });
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

  /** The versions of a memory, newest first; also of a retracted one. */
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

  /** Keeps the old content as a version. Undefined if this owner has no such memory. */
  update(
    owner: string,
    id: string,
    change: MemoryEdit,
    operation: MemoryOperation = {},
  ): Promise<Remembered | undefined> {
    return this.#serially(owner, async () => {
      if (!(await this.get([owner], { id }, operation.access))) return undefined;
      const text = change.text === undefined ? undefined : this.#sanitize(change.text);
      const { tags, metadata, ...rest } = change;
      const next: Partial<MemoryContent> = {
        ...rest,
        ...(text !== undefined && { text }),
        ...(tags && { tags: this.#tagsOf(tags) }),
        ...(metadata && { metadata: metadataOf(metadata, (value) => this.#sanitize(value)) }),
        writtenBy: operation.by ?? null,
      };
      const memory = await this.#deps.store.update(id, next, this.#end(operation));
      this.#deps.onChange?.(id);
      const redacted = text !== undefined && isRedacted(text, change.text!);
      return { kind: "kept", memory, redacted, similar: [], superseded: true };
    });
  }

  /** Deletes the memory and keeps its content as a version, for people. Resolves with the memory; undefined if this owner has none. */
  retract(owner: string, id: string, operation: MemoryOperation = {}): Promise<MemoryRecord | undefined> {
    return this.#serially(owner, async () => {
      const memory = await this.get([owner], { id }, operation.access);
      if (!memory) return undefined;
      await this.#deps.store.retract(id, this.#end(operation));
      this.#deps.onChange?.(id);
      return memory;
    });
  }

  /** Deletes the memory and its versions. Resolves with the memory; undefined if this owner has none. */
  forget(owner: string, id: string, { access }: MemoryOperation = {}): Promise<MemoryRecord | undefined> {
    return this.#serially(owner, async () => {
      const memory = await this.get([owner], { id }, access);
      if (memory) await this.erase(id);
      return memory;
    });
  }

  /** Like `forget`, for any owner, and also if only versions are left. */
  async erase(id: string): Promise<void> {
    await this.#deps.store.delete(id);
    this.#deps.onChange?.(id);
  }

  /** Replaces the content of a key. Each label has its own memory for a key, so that nobody learns of labels they may not see. */
  async #put(
    owner: string,
    content: MemoryContent,
    about: { readonly redacted: boolean; readonly similar: readonly MemoryRecord[] },
    again = true,
  ): Promise<Remembered> {
    const { store, clock } = this.#deps;
    const held = await store.byKey(owner, content.key!);
    const there = held.find(({ label }) => label === content.label);
    if (there && this.#createFilter({})(there)) {
      if (hasSameContent(there, content)) return { kind: "known", memory: there };
      const memory = await store.update(there.id, content, { at: clock(), by: content.writtenBy });
      this.#deps.onChange?.(there.id);
      return { kind: "kept", memory, ...about, superseded: true };
    }
    try {
      if (there) await store.delete(there.id);
      return await this.#create(owner, content, about.redacted, about.similar);
    } catch (error) {
      // Another process wrote the same key at the same time.
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

  async #findNear(owner: string, text: string, access?: Access): Promise<MemoryRecord[]> {
    const index = await this.#indexes.current(owner);
    const accept = this.#createFilter({ ...(access && { access }) });
    return index.search(text, { limit: SIMILAR_COMPARED, accept, known: accept }).map(({ memory }) => memory);
  }

  #readIndex<T>(
    owner: string,
    read: (index: Awaited<ReturnType<MemoryIndexes["current"]>>) => T,
  ): Promise<T> {
    return this.#serially(owner, async () => read(await this.#indexes.current(owner)));
  }

  #createFilter({
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
    { by }: MemoryOperation,
  ): MemoryContent {
    return {
      text: this.#sanitize(text),
      tags: this.#tagsOf(tags),
      key: key === undefined ? null : this.#keyOf(key),
      type: type ?? "note",
      metadata: metadataOf(metadata ?? {}, (value) => this.#sanitize(value)),
      label: label ?? null,
      expiresAt: expiresAt ?? null,
      writtenBy: by ?? null,
    };
  }

  #tagsOf(tags: readonly string[]): string[] {
    return tagsOf(tags.map((tag) => this.#sanitize(tag)));
  }

  #keyOf(key: string): string {
    const kept = this.#sanitize(key);
    if (kept === key.trim() && kept !== "") return kept;
    throw new ToolkeepError(
      "BAD_REQUEST",
      "a key has to be a name, such as project.release_day; this one is empty or looks like a secret",
    );
  }

  #end({ by }: MemoryOperation) {
    return { at: this.#deps.clock(), by: by ?? null };
  }

  /** The text as it is stored: without secrets and without characters that databases cannot store. */
  #sanitize(text: string): string {
    return withoutCredentials(this.#deps.redact(storable(text).trim())).text;
  }

  /** Records the time of use, for people who tidy up. A failure to record it does not fail the recall. */
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

function findSimilar(near: readonly MemoryRecord[], text: string): MemoryRecord[] {
  return near
    .map((memory) => ({ memory, likeness: similarity(memory.text, text) }))
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, SIMILAR_SHOWN)
    .map(({ memory }) => memory);
}

function hasSameContent(memory: MemoryRecord, content: MemoryContent): boolean {
  const said = ({ text, tags, type, metadata, expiresAt }: MemoryContent) =>
    stableJson([text, tags, type, metadata, expiresAt]);
  return said(memory) === said(content);
}

function isRedacted(kept: string, given: string): boolean {
  return kept !== storable(given).trim();
}
