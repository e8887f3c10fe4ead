import type { Caller } from "../../contract/caller.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { awaitWithin } from "../../lib/flow/await-within.ts";
import type { ActivatedTools } from "./listing.ts";
import { type ActivationRecord, type ActivationTable, conversationKey } from "./tables.ts";

export interface ActivationsDeps {
  readonly store: ActivationTable;
  readonly clock: Clock;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  /** Called for what could not be stored; it still counts until the process ends. */
  readonly onProblem: (error: unknown) => void;
}

/** The parts of a caller that identify its conversation. */
export type Conversation = Pick<Caller, "agentId" | "conversation" | "parentId" | "tokenId">;

/** Per conversation; the longest unused are dropped first. */
const MAX_TOOLS = 200;
/** How many conversations are kept in memory; the others are read again when they continue. */
const MAX_CACHED = 2_000;
/** A use is written to the store at most this often. */
const USE_WRITE_INTERVAL_MS = 60_000;
/** Nobody waits longer than this for the store. */
const STORE_WAIT_MS = 1_000;
/** When a failed read is tried again. */
const RETRY_AFTER_MS = 5_000;

interface ConversationTools {
  readonly conversation: Conversation;
  /** By last use, longest unused first. */
  readonly tools: Map<string, number>;
  /** The key of the parent's conversation, whose tools this one has as well. */
  readonly parentKey: string | undefined;
  /** Its own and inherited tools, cached until something is added. */
  activated: Map<string, number> | undefined;
  /** When to read again; set where not everything could be read. */
  readonly retryAt: number | undefined;
}

/**
 * The deferred tools that conversations have found or called. They are stored, so that they outlast reconnects and
 * restarts. A sub-agent also has those of its parent: of the same conversation, or else of the parent's last one.
 */
export class Activations {
  readonly #deps: ActivationsDeps;
  readonly #cache = new BoundedMap<string, ConversationTools>(MAX_CACHED);
  readonly #loading = new Map<string, Promise<ConversationTools>>();
  readonly #listeners = new Set<() => void>();
  /** Uses that are not in the store yet. */
  readonly #pendingUses = new Map<string, ActivationRecord>();
  #reloads = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: ActivationsDeps) {
    this.#deps = deps;
  }

  /** Synchronous where the conversation is cached; the same object until something is added. */
  get(conversation: Conversation): ActivatedTools | Promise<ActivatedTools> {
    const cached = this.#cached(conversation);
    return cached
      ? this.#allTools(cached)
      : this.#load(conversation).then((loaded) => this.#allTools(loaded));
  }

  /** Resolves, once the tools are stored, with those that the conversation did not have before. */
  async activate(conversation: Conversation, tools: readonly string[]): Promise<readonly string[]> {
    const entry = await this.#load(conversation);
    const now = this.#deps.clock();
    const added = tools.filter((tool) => !this.#allTools(entry).has(tool));
    for (const tool of tools) use(entry.tools, tool, now);
    const dropped = [...entry.tools.keys()].slice(0, Math.max(0, entry.tools.size - MAX_TOOLS));
    for (const tool of dropped) entry.tools.delete(tool);
    entry.activated = undefined;
    const stored = this.#enqueueWrite(async ({ store }) => {
      await store.put(tools.map((tool) => recordOf(entry.conversation, tool, now)));
      await store.delete(entry.conversation.agentId, entry.conversation.conversation, dropped);
    });
    await awaitWithin(STORE_WAIT_MS, stored);
    // An entry that was loaded meanwhile does not have the new tools.
    const key = conversationKey(conversation);
    if (this.#cache.get(key) !== entry) this.#cache.delete(key);
    if (added.length > 0) this.#onAdded();
    return added;
  }

  /** Notes the use of a tool. False where the conversation does not have the tool or is not cached. */
  noteUse(conversation: Conversation, tool: string): boolean {
    const cached = this.#cache.get(conversationKey(conversation));
    const lastUse = cached?.tools.get(tool);
    if (!cached) return false;
    if (lastUse === undefined) {
      // An inherited tool becomes the conversation's own once it is used.
      const isInherited = this.#allTools(cached).has(tool);
      if (isInherited) void this.activate(conversation, [tool]);
      return isInherited;
    }
    const now = this.#deps.clock();
    use(cached.tools, tool, now);
    cached.activated?.set(tool, now);
    if (now - lastUse >= USE_WRITE_INTERVAL_MS) this.#queueUse(recordOf(cached.conversation, tool, now));
    return true;
  }

  /** Gives a new conversation the tools of the same token's last one, if that was used after `since`. */
  async carryOver(conversation: Conversation, since: number): Promise<void> {
    const { agentId, tokenId } = conversation;
    if (tokenId === null) return;
    try {
      const last = await this.#deps.store.latest({ agentId, tokenId, since });
      if (last === undefined || last === conversation.conversation) return;
      const { tools } = await this.#load({ ...conversation, conversation: last });
      if (tools.size > 0) await this.activate(conversation, [...tools.keys()]);
    } catch (error) {
      this.#deps.onProblem(error);
    }
  }

  /** Removes everything of a conversation that is over. */
  async forget({ agentId, conversation }: Conversation): Promise<void> {
    this.#cache.delete(conversationKey({ agentId, conversation }));
    await this.#enqueueWrite(({ store }) => store.delete(agentId, conversation));
  }

  /** Drops what another process changed: these conversations, or all. */
  reload(changed?: ReadonlySet<string>): void {
    this.#reloads += 1;
    if (!changed) this.#cache.clear();
    for (const key of changed ?? []) {
      this.#cache.delete(key);
      const isParent = (parentId: string) => key.startsWith(`${parentId} `);
      for (const [childKey, { conversation }] of this.#cache)
        if (conversation.parentId !== null && isParent(conversation.parentId)) this.#cache.delete(childKey);
    }
    this.notify();
  }

  /** Notifies the listeners that the list of a conversation has changed. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after a conversation has gained tools; returns the function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#flushUses();
  }

  /** Undefined where the conversation, or the one it inherits from, has to be loaded. */
  #cached(conversation: Conversation): ConversationTools | undefined {
    const cached = this.#cache.get(conversationKey(conversation));
    if (cached?.retryAt !== undefined && this.#deps.clock() >= cached.retryAt) return undefined;
    return cached?.parentKey === undefined || this.#cache.has(cached.parentKey) ? cached : undefined;
  }

  #allTools(entry: ConversationTools): Map<string, number> {
    const { parentKey } = entry;
    const parent = parentKey === undefined ? undefined : this.#cache.get(parentKey);
    entry.activated ??= parent ? new Map([...this.#allTools(parent), ...entry.tools]) : new Map(entry.tools);
    return entry.activated;
  }

  /** `descendants` are the conversations whose parents are being loaded. */
  #load(conversation: Conversation, descendants: readonly string[] = []): Promise<ConversationTools> {
    const key = conversationKey(conversation);
    const cached = this.#cached(conversation);
    if (cached) return Promise.resolve(cached);
    const loading = this.#loading.get(key) ?? this.#read(conversation, descendants);
    this.#loading.set(key, loading);
    return loading.finally(() => this.#loading.delete(key));
  }

  async #read(conversation: Conversation, descendants: readonly string[]): Promise<ConversationTools> {
    const { agentId, conversation: id, parentId, tokenId } = conversation;
    const reloads = this.#reloads;
    const identity = { agentId, conversation: id, parentId, tokenId };
    const key = conversationKey(identity);
    const [records, parent] = await Promise.all([
      this.#tryInTime(this.#deps.store.list(agentId, id)),
      this.#tryInTime(this.#loadParent(identity, [...descendants, key])),
    ]);
    const stored = (records ?? []).map(({ tool, usedAt }) => [tool, usedAt] as const);
    const entry: ConversationTools = {
      conversation: identity,
      // Tools that were added while reading failed are kept.
      tools: new Map([...stored, ...(this.#cache.get(key)?.tools ?? [])]),
      parentKey: parent?.entry && conversationKey(parent.entry.conversation),
      activated: undefined,
      retryAt: records && parent ? undefined : this.#deps.clock() + RETRY_AFTER_MS,
    };
    // A list that was read before a reload may be outdated; the next caller reads again.
    if (reloads !== this.#reloads) return entry;
    this.#cache.set(key, entry);
    return entry;
  }

  /** Undefined where reading failed or took too long. */
  async #tryInTime<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await awaitWithin(STORE_WAIT_MS, reading);
    } catch (error) {
      this.#deps.onProblem(error);
      return undefined;
    }
  }

  async #loadParent(
    { parentId, conversation }: Conversation,
    descendants: readonly string[],
  ): Promise<{ readonly entry?: ConversationTools }> {
    if (parentId === null) return {};
    const { store, parentOf } = this.#deps;
    const hasOwn = (await store.list(parentId, conversation)).length > 0;
    const last = hasOwn ? conversation : await store.latest({ agentId: parentId });
    // Without tools of its own, the parent still has those of its own parent.
    const parent = {
      agentId: parentId,
      conversation: last ?? conversation,
      parentId: parentOf(parentId),
      tokenId: null,
    };
    // Nothing creates a cycle of parents, but a store can be restored from anything.
    return descendants.includes(conversationKey(parent))
      ? {}
      : { entry: await this.#load(parent, descendants) };
  }

  /** Drops sub-agents from the cache: they may have been loaded before their parents had anything. */
  #onAdded(): void {
    for (const [key, { conversation }] of this.#cache)
      if (conversation.parentId !== null) this.#cache.delete(key);
    this.notify();
  }

  #queueUse(record: ActivationRecord): void {
    this.#pendingUses.set(`${conversationKey(record)} ${record.tool}`, record);
    this.#timer ??= setTimeout(() => void this.#flushUses(), USE_WRITE_INTERVAL_MS).unref();
  }

  async #flushUses(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = [...this.#pendingUses.values()];
    this.#pendingUses.clear();
    await this.#enqueueWrite(({ store }) => store.touch(uses));
  }

  /** Writes in order; never rejects. */
  #enqueueWrite(write: (deps: ActivationsDeps) => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(() => write(this.#deps)).catch(this.#deps.onProblem);
    return this.#writing;
  }
}

function use(tools: Map<string, number>, tool: string, now: number): void {
  tools.delete(tool);
  tools.set(tool, now);
}

function recordOf(
  { agentId, conversation, tokenId }: Conversation,
  tool: string,
  usedAt: number,
): ActivationRecord {
  return { agentId, conversation, tokenId, tool, usedAt };
}
