import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { nearest } from "../../lib/nearest.ts";
import type { WrittenRule } from "../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../machine/config/settings.ts";
import type { RuleRecord } from "./contract.ts";
import type { RuleTable } from "./tables.ts";

export interface RuleBookDeps {
  readonly store: Pick<RuleTable, "list" | "create" | "replace" | "delete">;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** What a stored rule consists of; absent fields become null. */
export interface NewRule extends WrittenRule {
  readonly agentId?: string | null;
  /** A conversation of that agent. */
  readonly conversation?: string | null;
  readonly note?: string;
  readonly createdBy: string;
  readonly expiresAt?: number | null;
  /** The approval whose answer it is. */
  readonly questionId?: string;
}

const MAX_SHARED = 1_000;
const MAX_OF_AGENT = 500;
const MAX_OF_CONVERSATION = 100;
const MAX_STORED = 20_000;
/** A conversation that lasts longer is asked again. */
export const CONVERSATION_RULE_MS = 24 * 60 * 60 * 1_000;
const MAX_NOTE = 1_000;
const MAX_PARENTS = 10;
/** Longest wait before checking expiry again: timers accept no longer delays. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1_000;

/** The rules that people made at the command line, in the dashboard or by an answer, in memory. */
export class RuleBook {
  readonly clock: Clock;
  readonly #deps: RuleBookDeps;
  readonly #serial = createSerial();
  readonly #listeners = new Set<() => void>();
  #records: ReadonlyMap<string, RuleRecord> = new Map();
  #active: ActiveRules = NO_RULES;
  /** For the next rule to expire. */
  #timer: NodeJS.Timeout | undefined;
  /** Rules have expired since the listeners were last called. */
  #hasUnannounced = false;
  #isClosed = false;

  /** Empty until it is first read. */
  constructor(deps: RuleBookDeps) {
    this.#deps = deps;
    this.clock = deps.clock;
  }

  static async open(deps: RuleBookDeps): Promise<RuleBook> {
    const book = new RuleBook(deps);
    await book.reload();
    return book;
  }

  /** Reads what other processes changed. */
  reload(): Promise<void> {
    return this.#serial("rules", () => this.#read());
  }

  /** In the order they were made, without expired ones. */
  list(): readonly RuleRecord[] {
    const now = this.#deps.clock();
    return [...this.#records.values()].filter((record) => !isExpired(record, now));
  }

  /** Undefined: it does not exist or has expired. */
  find(id: string): RuleRecord | undefined {
    const record = this.#records.get(id);
    return record && !isExpired(record, this.#deps.clock()) ? record : undefined;
  }

  has(id: string): boolean {
    return this.find(id) !== undefined;
  }

  /** Throws NOT_FOUND with the nearest id. */
  get(id: string): RuleRecord {
    const record = this.find(id);
    if (record) return record;
    const guess = nearest(id, this.#records.keys());
    const hint = guess === undefined ? "" : `; did you mean ${guess}?`;
    throw new ToolkeepError("NOT_FOUND", `There is no stored rule ${JSON.stringify(id)}${hint}`);
  }

  /** Resolves when it is stored and in force. Throws TOO_MANY. */
  add(rule: NewRule): Promise<RuleRecord> {
    return this.#serial("rules", async () => {
      const record = recordOf(this.#deps.newId("rul"), rule, this.#deps.clock());
      this.#assertRoom(record);
      await this.#deps.store.create(record);
      await this.#read();
      return record;
    });
  }

  /** Keeps the id, owner and time of creation. A rule that was an answer becomes a written one. */
  replace(id: string, rule: WrittenRule & Pick<NewRule, "note">): Promise<RuleRecord> {
    return this.#serial("rules", async () => {
      const current = this.get(id);
      const { agentId, conversation, createdBy, createdAt, expiresAt, note } = current;
      const owner = { agentId, conversation, createdBy, note };
      const record = { ...recordOf(id, { ...owner, ...rule }, createdAt), expiresAt };
      await this.#deps.store.replace(record);
      await this.#read();
      return record;
    });
  }

  remove(id: string): Promise<RuleRecord> {
    return this.#serial("rules", async () => {
      const record = this.get(id);
      await this.#deps.store.delete(id);
      await this.#read();
      return record;
    });
  }

  /** When the first rule expires: from then on, call `expire` before reading rules. */
  get validUntil(): number {
    return this.#active.until;
  }

  /** Removes expired rules. The listeners are called soon afterwards. */
  expire(): void {
    this.#hasUnannounced ||= this.#isDue;
    this.#active = activeAt([...this.#records.values()], this.#deps.clock());
    this.#scheduleExpiry();
  }

  /** Rules for every agent. */
  get shared(): readonly Rule[] {
    return this.#active.shared;
  }

  /** Whether there are rules for single agents or conversations. */
  get hasScopedRules(): boolean {
    return this.#active.ofAgent.size + this.#active.ofConversation.size > 0;
  }

  /** Rules for one agent, and those of its ancestors as far as they tighten. */
  ofAgent(agentId: string): readonly Rule[] {
    const rules = [...(this.#active.ofAgent.get(agentId) ?? [])];
    let ancestor = this.#deps.parentOf(agentId);
    for (let depth = 0; ancestor !== null && depth < MAX_PARENTS; depth++) {
      const inherited = this.#active.ofAgent.get(ancestor) ?? [];
      rules.push(...inherited.filter(({ action }) => action !== "allow"));
      ancestor = this.#deps.parentOf(ancestor);
    }
    return rules;
  }

  ofConversation(agentId: string, conversation: string): readonly Rule[] {
    return this.#active.ofConversation.get(conversationKey(agentId, conversation)) ?? [];
  }

  /** Calls `listener` after each change, including the expiry of a rule; returns the function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get #isDue(): boolean {
    return this.#active.until !== Number.POSITIVE_INFINITY && this.#deps.clock() >= this.#active.until;
  }

  async #read(): Promise<void> {
    const records = await this.#deps.store.list();
    this.#records = new Map(records.map((record) => [record.id, record]));
    this.expire();
    this.#notify();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #notify(): void {
    this.#hasUnannounced = false;
    for (const listener of this.#listeners) listener();
  }

  /** Lists must show what expired rules no longer hide, even if nobody calls anything. */
  #scheduleExpiry(): void {
    clearTimeout(this.#timer);
    const delay = this.#hasUnannounced ? 0 : this.#active.until - this.#deps.clock();
    if (this.#isClosed || delay === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#onTimer(), Math.min(Math.max(delay, 0), MAX_WAIT_MS));
    this.#timer.unref();
  }

  #onTimer(): void {
    if (this.#isDue) this.expire();
    if (this.#hasUnannounced) this.#notify();
    this.#scheduleExpiry();
  }

  #assertRoom({ agentId, conversation }: RuleRecord): void {
    const existing = this.list();
    const same = existing.filter((rule) => rule.agentId === agentId && rule.conversation === conversation);
    const [limit, owner] =
      conversation !== null
        ? [MAX_OF_CONVERSATION, "this conversation has"]
        : agentId !== null
          ? [MAX_OF_AGENT, "this agent has"]
          : [MAX_SHARED, "there are"];
    if (same.length < limit && existing.length < MAX_STORED) return;
    const message =
      same.length < limit ? `there are ${MAX_STORED} stored rules` : `${owner} ${limit} stored rules`;
    throw new ToolkeepError("TOO_MANY", `too many rules: ${message}`, {
      remedy: "Remove rules that are no longer needed: toolkeep rule list, toolkeep rule remove ID.",
    });
  }
}

interface ActiveRules {
  readonly shared: readonly Rule[];
  readonly ofAgent: ReadonlyMap<string, readonly Rule[]>;
  readonly ofConversation: ReadonlyMap<string, readonly Rule[]>;
  /** When the first of them expires. */
  readonly until: number;
}

const NO_RULES: ActiveRules = {
  shared: [],
  ofAgent: new Map(),
  ofConversation: new Map(),
  until: Number.POSITIVE_INFINITY,
};

function activeAt(records: readonly RuleRecord[], now: number): ActiveRules {
  const active = records.filter((record) => !isExpired(record, now));
  const ofAgent = new Map<string, Rule[]>();
  const ofConversation = new Map<string, Rule[]>();
  const shared: Rule[] = [];
  for (const record of active) {
    const { agentId, conversation } = record;
    if (agentId === null) shared.push(toRule(record));
    else if (conversation === null) listFor(ofAgent, agentId).push(toRule(record));
    else listFor(ofConversation, conversationKey(agentId, conversation)).push(toRule(record));
  }
  const until = Math.min(...active.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
  return { shared, ofAgent, ofConversation, until };
}

/** The rule in the form in which it is weighed. */
export function toRule(record: RuleRecord): Rule {
  const { id, permission, action, pattern, final, after, agentId, conversation, questionId } = record;
  return {
    id,
    permission,
    action,
    ...(pattern === null ? {} : { pattern }),
    ...(final && { final }),
    ...(after === null ? {} : { after }),
    ...(questionId !== null && { isAnswer: true as const }),
    from: conversation !== null ? "session" : agentId !== null ? "agent" : "user",
  };
}

function recordOf(id: string, rule: NewRule, now: number): RuleRecord {
  const { permission, action, pattern = null, final = false, after = null } = rule;
  const {
    agentId = null,
    conversation = null,
    note = "",
    createdBy,
    expiresAt = null,
    questionId = null,
  } = rule;
  if (conversation !== null && agentId === null)
    throw new ToolkeepError(
      "BAD_REQUEST",
      "A rule for a conversation needs the agent that the conversation belongs to.",
    );
  const ends = expiresAt ?? (conversation === null ? null : now + CONVERSATION_RULE_MS);
  return {
    id,
    agentId,
    conversation,
    permission,
    pattern: pattern === "*" ? null : pattern,
    action,
    final,
    after,
    note: note.slice(0, MAX_NOTE),
    createdBy,
    createdAt: now,
    expiresAt: ends,
    questionId,
  };
}

function isExpired({ expiresAt }: RuleRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function listFor(map: Map<string, Rule[]>, key: string): Rule[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function conversationKey(agentId: string, conversation: string): string {
  return `${agentId} ${conversation}`;
}
