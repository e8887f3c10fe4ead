import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { LabelRecord } from "./contract.ts";
import type { LabelTable } from "./tables.ts";

/** After this a conversation counts as a new one. */
export const LABELS_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export interface LabelsDeps {
  readonly store: Pick<LabelTable, "list" | "put">;
  readonly clock: Clock;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  /** Called for what could not be stored; it still counts until the process ends. */
  readonly onProblem: (error: unknown) => void;
}

type Conversation = Pick<Caller, "agentId" | "conversation" | "parentId" | "operator" | "tokenId">;

interface LabelEntry {
  readonly agentId: string;
  readonly conversation: string;
  readonly labels: ReadonlySet<string>;
  /** When a label was last added or met again. */
  readonly at: number;
}

const NONE: ReadonlySet<string> = new Set();
/** Conversations; the ones that were labelled longest ago are dropped first. */
const MAX_ENTRIES = 20_000;
const MAX_LABELS = 20;
const MAX_PARENTS = 10;
/**
 * For this long, labels from any call of an agent count for all its calls with a token, and for the agents that work
 * for it. Otherwise a caller could shed labels by using another session, token or surface.
 */
const INHERITED_MS = 24 * 60 * 60 * 1_000;
/** A label that is met again is renewed after this time. */
const RENEW_AFTER_MS = 60 * 60 * 1_000;
/** How much the clocks of replicas may differ. */
const OVERLAP_MS = 60_000;

/** The label of content from untrusted origins. */
export const UNTRUSTED_CONTENT = "untrusted_content";
const UNTRUSTED: readonly string[] = [UNTRUSTED_CONTENT];
const NO_EXTRA: readonly string[] = [];
/** In place of a conversation: labels from any call of the agent. */
const ANY_CALL = "(any call)";

/** Whether these labels belong to all calls of an agent with a token, not to one conversation. */
export function isOfAnyCall(conversation: string): boolean {
  return conversation === ANY_CALL;
}

/** What conversations have come in touch with, in memory and stored across restarts and replicas. */
export class Labels {
  readonly #deps: LabelsDeps;
  readonly #entries = new Map<string, LabelEntry>();
  #readTo = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: LabelsDeps) {
    this.#deps = deps;
  }

  static async open(deps: LabelsDeps): Promise<Labels> {
    const labels = new Labels(deps);
    await labels.reload();
    return labels;
  }

  forCaller(caller: Conversation): ReadonlySet<string> {
    if (this.#entries.size === 0) return NONE;
    const { agentId, conversation, parentId } = caller;
    let all = this.#freshLabels(this.#entries.get(keyOf(agentId, conversation)), LABELS_KEPT_MS) ?? NONE;
    // A conversation without a token was opened by the embedding program; no agent can choose it.
    if (caller.tokenId !== null) all = union(this.forAgent(agentId), all);
    let ancestor = parentId;
    for (let depth = 0; ancestor !== null && depth < MAX_PARENTS; depth++) {
      const same = this.#freshLabels(this.#entries.get(keyOf(ancestor, conversation)), LABELS_KEPT_MS);
      all = union(same ?? this.forAgent(ancestor), all);
      ancestor = this.#deps.parentOf(ancestor);
    }
    return all;
  }

  /** Labels from any call of an agent in the last day. */
  forAgent(agentId: string): ReadonlySet<string> {
    return this.#freshLabels(this.#entries.get(keyOf(agentId, ANY_CALL)), INHERITED_MS) ?? NONE;
  }

  /** Notes that a conversation is about to read a tool's result; `extra`: labels of this result. */
  noteRead(
    caller: Conversation,
    { labels, untrusted }: Pick<Tool, "labels" | "untrusted">,
    extra: readonly string[] = NO_EXTRA,
  ): void {
    if (caller.operator || (labels === undefined && !untrusted && extra.length === 0)) return;
    const found =
      labels || extra.length > 0 ? [...(untrusted ? UNTRUSTED : []), ...(labels ?? []), ...extra] : UNTRUSTED;
    if (found.length === 0) return;
    this.#add(caller.agentId, caller.conversation, found);
    this.#add(caller.agentId, ANY_CALL, found);
  }

  /** The labels that count now, newest first. */
  list(): readonly LabelRecord[] {
    const now = this.#deps.clock();
    return [...this.#entries.values()]
      .filter(({ conversation, at }) => now - at < lifetimeOf(conversation))
      .map(({ agentId, conversation, labels, at }) => {
        return { agentId, conversation, labels: [...labels], labelledAt: at };
      })
      .toSorted((a, b) => b.labelledAt - a.labelledAt);
  }

  /**
   * Clears the labels of one conversation, or of all conversations of an agent, on behalf of a person. Resolves once
   * that is stored.
   */
  async clear(agentId: string, conversation?: string): Promise<number> {
    const labelledAt = this.#deps.clock();
    const own = this.list().filter((each) => each.agentId === agentId);
    const isNamed = (each: LabelRecord) => conversation === undefined || each.conversation === conversation;
    const rest = own.filter((each) => !isNamed(each) && !isOfAnyCall(each.conversation));
    // The labels for all calls are cleared with the last conversation of the day that they came from.
    const isLast = rest.every((each) => labelledAt - each.labelledAt >= INHERITED_MS);
    const cleared = own.filter((each) => isNamed(each) || (isLast && isOfAnyCall(each.conversation)));
    for (const record of cleared) {
      this.#entries.delete(keyOf(agentId, record.conversation));
      // Other processes clear theirs when they read this record.
      this.#enqueueWrite({ ...record, labels: [], labelledAt });
    }
    await this.#writing;
    return cleared.filter(({ conversation: each }) => !isOfAnyCall(each)).length;
  }

  /** Merges what other processes changed. */
  async reload(): Promise<void> {
    const now = this.#deps.clock();
    const since = Math.max(now - LABELS_KEPT_MS, this.#readTo - OVERLAP_MS);
    for (const record of await this.#deps.store.list(since, MAX_ENTRIES)) this.#merge(record);
    this.#readTo = now;
  }

  /** Resolves when everything noted is stored. */
  close(): Promise<void> {
    return this.#writing;
  }

  #add(agentId: string, conversation: string, found: readonly string[]): void {
    const now = this.#deps.clock();
    const known = this.#entries.get(keyOf(agentId, conversation));
    const isOld = known !== undefined && now - known.at >= RENEW_AFTER_MS;
    // True for every call but the first of a conversation.
    if (known && !isOld && found.every((label) => known.labels.has(label))) return;
    const current = this.#freshLabels(known, lifetimeOf(conversation)) ?? NONE;
    // Beyond the limit, this label is still added: no conversation may escape it.
    const room = Math.max(MAX_LABELS - current.size, 0);
    const unknown = [...new Set(found)].filter((label) => !current.has(label));
    const added = unknown.filter((label, index) => index < room || label === UNTRUSTED_CONTENT);
    if (added.length === 0 && !isOld) return;
    const labels = [...current, ...added];
    this.#set({ agentId, conversation, labels: new Set(labels), at: now });
    this.#enqueueWrite({ agentId, conversation, labels, labelledAt: now });
  }

  #enqueueWrite(record: LabelRecord): void {
    this.#writing = this.#writing.then(() => this.#deps.store.put(record)).catch(this.#deps.onProblem);
  }

  /** Undefined: there are none, or they are older. */
  #freshLabels(entry: LabelEntry | undefined, maxAge: number): ReadonlySet<string> | undefined {
    return entry && this.#deps.clock() - entry.at < maxAge ? entry.labels : undefined;
  }

  /** Only a person removes labels, so processes that add at the same time never remove each other's. */
  #merge({ agentId, conversation, labels, labelledAt }: LabelRecord): void {
    const key = keyOf(agentId, conversation);
    const known = this.#entries.get(key);
    if (labels.length === 0) {
      if (known && known.at <= labelledAt) this.#entries.delete(key);
      return;
    }
    const at = Math.max(known?.at ?? 0, labelledAt);
    this.#set({ agentId, conversation, labels: new Set([...(known?.labels ?? []), ...labels]), at });
  }

  #set(entry: LabelEntry): void {
    const key = keyOf(entry.agentId, entry.conversation);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= MAX_ENTRIES) return;
    // One agent with many conversations must not displace the labels of others.
    for (const [oldest, { conversation }] of this.#entries) {
      if (isOfAnyCall(conversation)) continue;
      this.#entries.delete(oldest);
      return;
    }
  }
}

function keyOf(agentId: string, conversation: string): string {
  return `${agentId} ${conversation}`;
}

function lifetimeOf(conversation: string): number {
  return isOfAnyCall(conversation) ? INHERITED_MS : LABELS_KEPT_MS;
}

function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (one.size === 0) return other;
  return other.size === 0 ? one : new Set([...one, ...other]);
}
