import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  LABELS_KEPT_MS,
  type LabelRecord,
  type LabelStore,
} from "../../machine/db/tables/trust/label-record.ts";

export interface LabelsDeps {
  readonly store: LabelStore;
  readonly clock: Clock;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  /** What could not be kept; it counts all the same, until the process ends. */
  readonly onProblem: (error: unknown) => void;
}

type Conversation = Pick<Caller, "agentId" | "conversation" | "parentId" | "operator" | "tokenId">;

interface Held {
  readonly agentId: string;
  readonly conversation: string;
  readonly labels: ReadonlySet<string>;
  /** When one of them came or was met again last. */
  readonly at: number;
}

const NONE: ReadonlySet<string> = new Set();
/** Of conversations; the longest unlabelled are forgotten first. */
const MAX_HELD = 20_000;
const MAX_LABELS = 20;
const MAX_PARENTS = 10;
/**
 * What came to any call of an agent counts so long for all its calls with a token, and for those who work for it: else a
 * caller would get rid of labels by another session, another token or another surface.
 */
const INHERITED_MS = 24 * 60 * 60 * 1_000;
/** A label that is met again is noted anew after this. */
const RENEWED_MS = 60 * 60 * 1_000;
/** Clocks of replicas may differ by so much. */
const OVERLAP_MS = 60_000;

/** What comes from where nobody vouches for it. */
export const UNTRUSTED_CONTENT = "untrusted_content";
const UNTRUSTED: readonly string[] = [UNTRUSTED_CONTENT];
const NO_MORE: readonly string[] = [];
/** In the place of a conversation: what came to any call of the agent. */
const ANY_CALL = "(any call)";

/** Whether labels are of all calls of an agent that come with a token, and of no conversation. */
export function isOfAnyCall(conversation: string): boolean {
  return conversation === ANY_CALL;
}

/** What conversations have come in touch with, held in memory and kept in the store over restarts and replicas. */
export class Labels {
  readonly #deps: LabelsDeps;
  readonly #held = new Map<string, Held>();
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

  of(caller: Conversation): ReadonlySet<string> {
    if (this.#held.size === 0) return NONE;
    const { agentId, conversation, parentId } = caller;
    let all = this.#fresh(this.#held.get(keyOf(agentId, conversation)), LABELS_KEPT_MS) ?? NONE;
    // A conversation that comes with no token is one that the program around the hub opened: no agent chooses it.
    if (caller.tokenId !== null) all = union(this.ofAgent(agentId), all);
    let above = parentId;
    for (let depth = 0; above !== null && depth < MAX_PARENTS; depth++) {
      const same = this.#fresh(this.#held.get(keyOf(above, conversation)), LABELS_KEPT_MS);
      all = union(same ?? this.ofAgent(above), all);
      above = this.#deps.parentOf(above);
    }
    return all;
  }

  /** What came to any call of an agent in the last day. */
  ofAgent(agentId: string): ReadonlySet<string> {
    return this.#fresh(this.#held.get(keyOf(agentId, ANY_CALL)), INHERITED_MS) ?? NONE;
  }

  /** Notes that a conversation is about to read what a tool gave; `more`: labels of what it gave this time. */
  read(
    caller: Conversation,
    { labels, untrusted }: Pick<Tool, "labels" | "untrusted">,
    more: readonly string[] = NO_MORE,
  ): void {
    if (caller.operator || (labels === undefined && !untrusted && more.length === 0)) return;
    const read =
      labels || more.length > 0 ? [...(untrusted ? UNTRUSTED : []), ...(labels ?? []), ...more] : UNTRUSTED;
    if (read.length === 0) return;
    this.#add(caller.agentId, caller.conversation, read);
    this.#add(caller.agentId, ANY_CALL, read);
  }

  /** Those that count now, newest first. */
  list(): readonly LabelRecord[] {
    const now = this.#deps.clock();
    return [...this.#held.values()]
      .filter(({ conversation, at }) => now - at < keptMs(conversation))
      .map(({ agentId, conversation, labels, at }) => {
        return { agentId, conversation, labels: [...labels], labelledAt: at };
      })
      .toSorted((a, b) => b.labelledAt - a.labelledAt);
  }

  /** A person says that they no longer count: of one conversation, or of all of an agent. Resolves when that is kept. */
  async clear(agentId: string, conversation?: string): Promise<number> {
    const labelledAt = this.#deps.clock();
    const own = this.list().filter((each) => each.agentId === agentId);
    const isNamed = (each: LabelRecord) => conversation === undefined || each.conversation === conversation;
    const rest = own.filter((each) => !isNamed(each) && !isOfAnyCall(each.conversation));
    // What counts for every call goes with the last conversation of the day that it came from.
    const isLast = rest.every((each) => labelledAt - each.labelledAt >= INHERITED_MS);
    const cleared = own.filter((each) => isNamed(each) || (isLast && isOfAnyCall(each.conversation)));
    for (const record of cleared) {
      this.#held.delete(keyOf(agentId, record.conversation));
      // Other processes drop theirs when they read this.
      this.#keep({ ...record, labels: [], labelledAt });
    }
    await this.#writing;
    return cleared.filter(({ conversation: each }) => !isOfAnyCall(each)).length;
  }

  /** Takes over what another process changed. */
  async reload(): Promise<void> {
    const now = this.#deps.clock();
    const since = Math.max(now - LABELS_KEPT_MS, this.#readTo - OVERLAP_MS);
    for (const record of await this.#deps.store.list(since, MAX_HELD)) this.#takeOver(record);
    this.#readTo = now;
  }

  /** Resolves when everything noted is kept. */
  close(): Promise<void> {
    return this.#writing;
  }

  #add(agentId: string, conversation: string, read: readonly string[]): void {
    const now = this.#deps.clock();
    const known = this.#held.get(keyOf(agentId, conversation));
    const isOld = known !== undefined && now - known.at >= RENEWED_MS;
    // Every call but the first of a conversation.
    if (known && !isOld && read.every((label) => known.labels.has(label))) return;
    const before = this.#fresh(known, keptMs(conversation)) ?? NONE;
    // However many others there are, this is the one that a conversation must not escape.
    const room = Math.max(MAX_LABELS - before.size, 0);
    const unknown = [...new Set(read)].filter((label) => !before.has(label));
    const added = unknown.filter((label, index) => index < room || label === UNTRUSTED_CONTENT);
    if (added.length === 0 && !isOld) return;
    const labels = [...before, ...added];
    this.#hold({ agentId, conversation, labels: new Set(labels), at: now });
    this.#keep({ agentId, conversation, labels, labelledAt: now });
  }

  #keep(record: LabelRecord): void {
    this.#writing = this.#writing.then(() => this.#deps.store.put(record)).catch(this.#deps.onProblem);
  }

  /** Undefined: there is none, or it is older. */
  #fresh(held: Held | undefined, maxAge: number): ReadonlySet<string> | undefined {
    return held && this.#deps.clock() - held.at < maxAge ? held.labels : undefined;
  }

  /** Labels only ever come, but for a person who clears them: of two processes that add at once, neither takes the other's away. */
  #takeOver({ agentId, conversation, labels, labelledAt }: LabelRecord): void {
    const key = keyOf(agentId, conversation);
    const known = this.#held.get(key);
    if (labels.length === 0) {
      if (known && known.at <= labelledAt) this.#held.delete(key);
      return;
    }
    const at = Math.max(known?.at ?? 0, labelledAt);
    this.#hold({ agentId, conversation, labels: new Set([...(known?.labels ?? []), ...labels]), at });
  }

  #hold(held: Held): void {
    const key = keyOf(held.agentId, held.conversation);
    this.#held.delete(key);
    this.#held.set(key, held);
    if (this.#held.size <= MAX_HELD) return;
    // One agent with many conversations must not rid the others of theirs.
    for (const [oldest, { conversation }] of this.#held) {
      if (isOfAnyCall(conversation)) continue;
      this.#held.delete(oldest);
      return;
    }
  }
}

function keyOf(agentId: string, conversation: string): string {
  return `${agentId} ${conversation}`;
}

function keptMs(conversation: string): number {
  return isOfAnyCall(conversation) ? INHERITED_MS : LABELS_KEPT_MS;
}

function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (one.size === 0) return other;
  return other.size === 0 ? one : new Set([...one, ...other]);
}
