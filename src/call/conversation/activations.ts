import type { Caller } from "../../contract/caller.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { within } from "../../lib/flow/within.ts";
import {
  type ActivationRecord,
  type ActivationStore,
  conversationKey,
} from "../../machine/db/tables/identity/activation-record.ts";
import type { Activated } from "./listing.ts";

export interface ActivationsDeps {
  readonly store: ActivationStore;
  readonly clock: Clock;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  /** What could not be kept; it counts all the same, until the process ends. */
  readonly onProblem: (error: unknown) => void;
}

/** Whose conversation: what of a caller decides about it. */
export type Conversation = Pick<Caller, "agentId" | "conversation" | "parentId" | "tokenId">;

/** Of one conversation; more are forgotten, longest unused first. */
const MAX_TOOLS = 200;
/** As many conversations are in memory; the others are read again when they go on. */
const MAX_HELD = 2_000;
/** A use is noted in the store at most so often. */
const NOTED_EVERY_MS = 60_000;
/** What the store does not do in this time it does without anybody waiting for it. */
const PATIENCE_MS = 1_000;
/** What could not be read is read again after so long. */
const AGAIN_AFTER_MS = 5_000;

interface Held {
  readonly of: Conversation;
  /** Longest unused first. */
  readonly tools: Map<string, number>;
  /** The conversation whose tools it has as well. */
  readonly inherits: string | undefined;
  /** What it comes to, until something is added. */
  activated: Map<string, number> | undefined;
  /** Set where not everything could be read: when that is tried again. */
  readonly readAgainAt: number | undefined;
}

/**
 * Which deferred tools the conversations of agents have found or called. Kept in the store, so that they outlast
 * reconnects and restarts. A sub-agent has those of its parent too: of the same conversation, or else of the parent's last.
 */
export class Activations {
  readonly #deps: ActivationsDeps;
  readonly #held = new BoundedMap<string, Held>(MAX_HELD);
  readonly #reading = new Map<string, Promise<Held>>();
  readonly #listeners = new Set<() => void>();
  /** Uses that the store does not know of yet. */
  readonly #noted = new Map<string, ActivationRecord>();
  #reloads = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: ActivationsDeps) {
    this.#deps = deps;
  }

  /** At once where the conversation is known already; the same object as long as nothing was added. */
  of(conversation: Conversation): Activated | Promise<Activated> {
    const held = this.#heldFor(conversation);
    return held ? this.#activated(held) : this.#hold(conversation).then((read) => this.#activated(read));
  }

  /** Resolves when the tools are kept; with those that the conversation did not have before. */
  async activate(conversation: Conversation, tools: readonly string[]): Promise<readonly string[]> {
    const held = await this.#hold(conversation);
    const now = this.#deps.clock();
    const added = tools.filter((tool) => !this.#activated(held).has(tool));
    for (const tool of tools) use(held.tools, tool, now);
    const forgotten = [...held.tools.keys()].slice(0, Math.max(0, held.tools.size - MAX_TOOLS));
    for (const tool of forgotten) held.tools.delete(tool);
    held.activated = undefined;
    const kept = this.#keep(async ({ store }) => {
      await store.put(tools.map((tool) => recordOf(held.of, tool, now)));
      await store.delete(held.of.agentId, held.of.conversation, forgotten);
    });
    await within(PATIENCE_MS, kept);
    // What was read meanwhile does not know of it.
    const key = conversationKey(conversation);
    if (this.#held.get(key) !== held) this.#held.delete(key);
    if (added.length > 0) this.#changed();
    return added;
  }

  /** Notes the call of a tool; false where the conversation does not have it, or is not known yet. */
  used(conversation: Conversation, tool: string): boolean {
    const held = this.#held.get(conversationKey(conversation));
    const before = held?.tools.get(tool);
    if (!held) return false;
    if (before === undefined) {
      // What it has from its parent is its own once it is used.
      const isInherited = this.#activated(held).has(tool);
      if (isInherited) void this.activate(conversation, [tool]);
      return isInherited;
    }
    const now = this.#deps.clock();
    use(held.tools, tool, now);
    held.activated?.set(tool, now);
    if (now - before >= NOTED_EVERY_MS) this.#note(recordOf(held.of, tool, now));
    return true;
  }

  /** Gives a conversation that begins what the last one of the same token has, used not before `since`. */
  async goOn(conversation: Conversation, since: number): Promise<void> {
    const { agentId, tokenId } = conversation;
    if (tokenId === null) return;
    try {
      const last = await this.#deps.store.latest({ agentId, tokenId, since });
      if (last === undefined || last === conversation.conversation) return;
      const { tools } = await this.#hold({ ...conversation, conversation: last });
      if (tools.size > 0) await this.activate(conversation, [...tools.keys()]);
    } catch (error) {
      this.#deps.onProblem(error);
    }
  }

  /** The conversation is over. */
  async forget({ agentId, conversation }: Conversation): Promise<void> {
    this.#held.delete(conversationKey({ agentId, conversation }));
    await this.#keep(({ store }) => store.delete(agentId, conversation));
  }

  /** Takes over what another process changed: in these conversations, or in any. */
  reload(changed?: ReadonlySet<string>): void {
    this.#reloads += 1;
    if (!changed) this.#held.clear();
    for (const key of changed ?? []) {
      this.#held.delete(key);
      const isOf = (parentId: string) => key.startsWith(`${parentId} `);
      for (const [below, { of }] of this.#held)
        if (of.parentId !== null && isOf(of.parentId)) this.#held.delete(below);
    }
    this.tell();
  }

  /** Says that the list of a conversation is another now. */
  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after a conversation has got more tools; returns the function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#writeNoted();
  }

  /** Undefined where it has to be read, or what it inherits. */
  #heldFor(conversation: Conversation): Held | undefined {
    const held = this.#held.get(conversationKey(conversation));
    if (held?.readAgainAt !== undefined && this.#deps.clock() >= held.readAgainAt) return undefined;
    return held?.inherits === undefined || this.#held.has(held.inherits) ? held : undefined;
  }

  #activated(held: Held): Map<string, number> {
    const { inherits } = held;
    const above = inherits === undefined ? undefined : this.#held.get(inherits);
    held.activated ??= above ? new Map([...this.#activated(above), ...held.tools]) : new Map(held.tools);
    return held.activated;
  }

  /** `below` are those whose parents are being looked for. */
  #hold(conversation: Conversation, below: readonly string[] = []): Promise<Held> {
    const key = conversationKey(conversation);
    const held = this.#heldFor(conversation);
    if (held) return Promise.resolve(held);
    const reading = this.#reading.get(key) ?? this.#read(conversation, below);
    this.#reading.set(key, reading);
    return reading.finally(() => this.#reading.delete(key));
  }

  async #read(conversation: Conversation, below: readonly string[]): Promise<Held> {
    const { agentId, conversation: id, parentId, tokenId } = conversation;
    const reloads = this.#reloads;
    const of = { agentId, conversation: id, parentId, tokenId };
    const key = conversationKey(of);
    const [records, above] = await Promise.all([
      this.#inTime(this.#deps.store.list(agentId, id)),
      this.#inTime(this.#above(of, [...below, key])),
    ]);
    const read = (records ?? []).map(({ tool, usedAt }) => [tool, usedAt] as const);
    const held: Held = {
      of,
      // What was added while it could not be read stays.
      tools: new Map([...read, ...(this.#held.get(key)?.tools ?? [])]),
      inherits: above?.held && conversationKey(above.held.of),
      activated: undefined,
      readAgainAt: records && above ? undefined : this.#deps.clock() + AGAIN_AFTER_MS,
    };
    // What was read before a reload may be out of date: the next to ask reads again.
    if (reloads !== this.#reloads) return held;
    this.#held.set(key, held);
    return held;
  }

  /** Undefined where it failed, or takes too long to wait for. */
  async #inTime<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await within(PATIENCE_MS, reading);
    } catch (error) {
      this.#deps.onProblem(error);
      return undefined;
    }
  }

  async #above(
    { parentId, conversation }: Conversation,
    below: readonly string[],
  ): Promise<{ readonly held?: Held }> {
    if (parentId === null) return {};
    const { store, parentOf } = this.#deps;
    const isThere = (await store.list(parentId, conversation)).length > 0;
    const last = isThere ? conversation : await store.latest({ agentId: parentId });
    // It has nothing yet; what it has in turn from its own parent counts.
    const above = {
      agentId: parentId,
      conversation: last ?? conversation,
      parentId: parentOf(parentId),
      tokenId: null,
    };
    // Nothing makes a circle of parents, but a store can be restored from anything.
    return below.includes(conversationKey(above)) ? {} : { held: await this.#hold(above, below) };
  }

  /** Sub-agents look again: they may have come before their parents had anything. */
  #changed(): void {
    for (const [key, { of }] of this.#held) if (of.parentId !== null) this.#held.delete(key);
    this.tell();
  }

  #note(record: ActivationRecord): void {
    this.#noted.set(`${conversationKey(record)} ${record.tool}`, record);
    this.#timer ??= setTimeout(() => void this.#writeNoted(), NOTED_EVERY_MS).unref();
  }

  async #writeNoted(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const noted = [...this.#noted.values()];
    this.#noted.clear();
    await this.#keep(({ store }) => store.touch(noted));
  }

  /** In their order, and never rejects. */
  #keep(write: (deps: ActivationsDeps) => Promise<void>): Promise<void> {
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
