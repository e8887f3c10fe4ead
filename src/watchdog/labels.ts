import type { Caller } from "../caller.ts";
import type { Clock } from "../lib/clock.ts";
import { LABELS_KEPT_MS, type LabelRecord, type LabelStore } from "../store/label-record.ts";
import type { Tool } from "../tool.ts";

export interface LabelsDeps {
  readonly store: LabelStore;
  readonly clock: Clock;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  /** What could not be kept; it counts all the same, until the process ends. */
  readonly onProblem: (error: unknown) => void;
}

type Conversation = Pick<Caller, "agentId" | "conversation" | "parentId" | "operator">;

const NONE: ReadonlySet<string> = new Set();
/** Of conversations; the longest unlabelled are forgotten first. */
const MAX_HELD = 20_000;
const MAX_LABELS = 20;
const MAX_PARENTS = 10;
/** A sub-agent that works in a conversation of its own has what its parent's newest one has, if it is as new as this. */
const INHERITED_MS = 24 * 60 * 60 * 1_000;
/** Clocks of replicas may differ by so much. */
const OVERLAP_MS = 60_000;

/** What comes from where nobody vouches for it. */
export const UNTRUSTED_CONTENT = "untrusted_content";

/** What conversations have come in touch with, held in memory and kept in the store over restarts and replicas. */
export class Labels {
  readonly #deps: LabelsDeps;
  readonly #held = new Map<string, ReadonlySet<string>>();
  /** The newest labelled conversation of each agent. */
  readonly #newest = new Map<string, { readonly at: number; readonly labels: ReadonlySet<string> }>();
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

  of({ agentId, conversation, parentId }: Conversation): ReadonlySet<string> {
    if (this.#held.size === 0) return NONE;
    const own = this.#held.get(`${agentId} ${conversation}`) ?? NONE;
    if (parentId === null) return own;
    let all = own;
    let above: string | null = parentId;
    for (let depth = 0; above !== null && depth < MAX_PARENTS; depth++) {
      all = union(this.#held.get(`${above} ${conversation}`) ?? this.#newestOf(above), all);
      above = this.#deps.parentOf(above);
    }
    return all;
  }

  /** Notes that a conversation is about to read what a tool gave. */
  read(caller: Conversation, tool: Pick<Tool, "labels" | "untrusted">): void {
    if (caller.operator || (tool.labels === undefined && !tool.untrusted)) return;
    const key = `${caller.agentId} ${caller.conversation}`;
    const before = this.#held.get(key) ?? NONE;
    const read = [...(tool.untrusted ? [UNTRUSTED_CONTENT] : []), ...(tool.labels ?? [])];
    const added = read.filter((label) => !before.has(label));
    if (added.length === 0 || before.size >= MAX_LABELS) return;
    const { agentId, conversation } = caller;
    const labels = [...new Set([...before, ...added])];
    const record = { agentId, conversation, labels, labelledAt: this.#deps.clock() };
    this.#hold(record);
    this.#writing = this.#writing.then(() => this.#deps.store.put(record)).catch(this.#deps.onProblem);
  }

  /** Takes over what another process changed. */
  async reload(): Promise<void> {
    const now = this.#deps.clock();
    const since = Math.max(now - LABELS_KEPT_MS, this.#readTo - OVERLAP_MS);
    for (const record of await this.#deps.store.list(since, MAX_HELD)) this.#hold(record);
    this.#readTo = now;
  }

  /** Resolves when everything noted is kept. */
  close(): Promise<void> {
    return this.#writing;
  }

  #newestOf(agentId: string): ReadonlySet<string> {
    const newest = this.#newest.get(agentId);
    return newest && this.#deps.clock() - newest.at < INHERITED_MS ? newest.labels : NONE;
  }

  /** Labels only ever come: of two processes that add at once, neither takes the other's away. */
  #hold({ agentId, conversation, labels, labelledAt }: LabelRecord): void {
    const key = `${agentId} ${conversation}`;
    const all = new Set([...(this.#held.get(key) ?? []), ...labels]);
    this.#held.delete(key);
    this.#held.set(key, all);
    const newest = this.#newest.get(agentId);
    if (!newest || newest.at <= labelledAt) this.#newest.set(agentId, { at: labelledAt, labels: all });
    const [oldest] = this.#held.keys();
    if (this.#held.size > MAX_HELD && oldest !== undefined) this.#held.delete(oldest);
    const [longest] = this.#newest.keys();
    if (this.#newest.size > MAX_HELD && longest !== undefined) this.#newest.delete(longest);
  }
}

function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (one.size === 0) return other;
  return other.size === 0 ? one : new Set([...one, ...other]);
}
