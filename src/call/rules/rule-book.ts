import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { nearest } from "../../lib/nearest.ts";
import type { WrittenRule } from "../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../machine/config/settings.ts";
import type { RuleRecord, RuleStore } from "../../machine/db/tables/trust/rule-record.ts";

export interface RuleBookDeps {
  readonly store: RuleStore;
  /** The agent that an agent works for. */
  readonly parentOf: (agentId: string) => string | null;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** What a stored rule is made of; what is absent is null. */
export interface NewRule extends WrittenRule {
  readonly agentId?: string | null;
  /** Of that agent. */
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
/** A conversation that goes on longer is asked again. */
export const CONVERSATION_RULE_MS = 24 * 60 * 60 * 1_000;
const MAX_NOTE = 1_000;
const MAX_PARENTS = 10;
/** The longest that is waited for a rule to be over before looking again: timers take no longer times. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1_000;

/** The rules that people made at the command line, in the dashboard or by an answer, held in memory. */
export class RuleBook {
  readonly clock: Clock;
  readonly #deps: RuleBookDeps;
  readonly #serial = createSerial();
  readonly #listeners = new Set<() => void>();
  #records: ReadonlyMap<string, RuleRecord> = new Map();
  #valid: Valid = NOTHING;
  /** Of the next rule to be over. */
  #timer: NodeJS.Timeout | undefined;
  /** Rules were over since the listeners were called last. */
  #isUntold = false;
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

  /** Takes over what another process changed. */
  reload(): Promise<void> {
    return this.#serial("rules", () => this.#read());
  }

  /** In the order they were made, without those that are over. */
  list(): readonly RuleRecord[] {
    const now = this.#deps.clock();
    return [...this.#records.values()].filter((record) => !isOver(record, now));
  }

  /** Undefined: there is none, or it is over. */
  find(id: string): RuleRecord | undefined {
    const record = this.#records.get(id);
    return record && !isOver(record, this.#deps.clock()) ? record : undefined;
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

  /** Resolves when it is kept and counts. Throws TOO_MANY. */
  add(rule: NewRule): Promise<RuleRecord> {
    return this.#serial("rules", async () => {
      const record = recordOf(this.#deps.newId("rul"), rule, this.#deps.clock());
      this.#mustHaveRoom(record);
      await this.#deps.store.create(record);
      await this.#read();
      return record;
    });
  }

  /** Under the same id; whose it is and when it was made stay. That of an answer is a written one from then on. */
  replace(id: string, rule: WrittenRule & Pick<NewRule, "note">): Promise<RuleRecord> {
    return this.#serial("rules", async () => {
      const before = this.get(id);
      const { agentId, conversation, createdBy, createdAt, expiresAt, note } = before;
      const whose = { agentId, conversation, createdBy, note };
      const record = { ...recordOf(id, { ...whose, ...rule }, createdAt), expiresAt };
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

  /** When the time of the first rule is over: from then on `expire` has to be called before anything is asked here. */
  get validUntil(): number {
    return this.#valid.until;
  }

  /** Sorts out what is over. The listeners are called soon afterwards. */
  expire(): void {
    this.#isUntold ||= this.#isDue;
    this.#valid = validAt([...this.#records.values()], this.#deps.clock());
    this.#wait();
  }

  /** For every agent. */
  get shared(): readonly Rule[] {
    return this.#valid.shared;
  }

  /** Whether there are rules for one agent or conversation only. */
  get hasOwn(): boolean {
    return this.#valid.ofAgent.size + this.#valid.ofConversation.size > 0;
  }

  /** For one agent; with those of whom it works for, as far as they tighten. */
  ofAgent(agentId: string): readonly Rule[] {
    const rules = [...(this.#valid.ofAgent.get(agentId) ?? [])];
    let above = this.#deps.parentOf(agentId);
    for (let depth = 0; above !== null && depth < MAX_PARENTS; depth++) {
      const inherited = this.#valid.ofAgent.get(above) ?? [];
      rules.push(...inherited.filter(({ action }) => action !== "allow"));
      above = this.#deps.parentOf(above);
    }
    return rules;
  }

  ofConversation(agentId: string, conversation: string): readonly Rule[] {
    return this.#valid.ofConversation.get(conversationKey(agentId, conversation)) ?? [];
  }

  /** Calls `listener` after a change, also when the time of a rule is over; returns the function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get #isDue(): boolean {
    return this.#valid.until !== Number.POSITIVE_INFINITY && this.#deps.clock() >= this.#valid.until;
  }

  async #read(): Promise<void> {
    const records = await this.#deps.store.list();
    this.#records = new Map(records.map((record) => [record.id, record]));
    this.expire();
    this.#tell();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#isUntold = false;
    for (const listener of this.#listeners) listener();
  }

  /** Lists show what rules hide no longer, also where nobody calls anything. */
  #wait(): void {
    clearTimeout(this.#timer);
    const left = this.#isUntold ? 0 : this.#valid.until - this.#deps.clock();
    if (this.#isClosed || left === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#passed(), Math.min(Math.max(left, 0), MAX_WAIT_MS));
    this.#timer.unref();
  }

  #passed(): void {
    if (this.#isDue) this.expire();
    if (this.#isUntold) this.#tell();
    this.#wait();
  }

  #mustHaveRoom({ agentId, conversation }: RuleRecord): void {
    const there = this.list();
    const same = there.filter((rule) => rule.agentId === agentId && rule.conversation === conversation);
    const [limit, whose] =
      conversation !== null
        ? [MAX_OF_CONVERSATION, "this conversation has"]
        : agentId !== null
          ? [MAX_OF_AGENT, "this agent has"]
          : [MAX_SHARED, "there are"];
    if (same.length < limit && there.length < MAX_STORED) return;
    const message =
      same.length < limit ? `there are ${MAX_STORED} stored rules` : `${whose} ${limit} stored rules`;
    throw new ToolkeepError("TOO_MANY", `${message} already`, {
      remedy: "Remove rules that are no longer needed: toolkeep rule list, toolkeep rule remove ID.",
    });
  }
}

interface Valid {
  readonly shared: readonly Rule[];
  readonly ofAgent: ReadonlyMap<string, readonly Rule[]>;
  readonly ofConversation: ReadonlyMap<string, readonly Rule[]>;
  /** When the first of them is over. */
  readonly until: number;
}

const NOTHING: Valid = {
  shared: [],
  ofAgent: new Map(),
  ofConversation: new Map(),
  until: Number.POSITIVE_INFINITY,
};

function validAt(records: readonly RuleRecord[], now: number): Valid {
  const valid = records.filter((record) => !isOver(record, now));
  const ofAgent = new Map<string, Rule[]>();
  const ofConversation = new Map<string, Rule[]>();
  const shared: Rule[] = [];
  for (const record of valid) {
    const { agentId, conversation } = record;
    if (agentId === null) shared.push(storedRule(record));
    else if (conversation === null) listIn(ofAgent, agentId).push(storedRule(record));
    else listIn(ofConversation, conversationKey(agentId, conversation)).push(storedRule(record));
  }
  const until = Math.min(...valid.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
  return { shared, ofAgent, ofConversation, until };
}

/** As the engine weighs it. */
export function storedRule(record: RuleRecord): Rule {
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
    throw new ToolkeepError("BAD_REQUEST", "A rule for a conversation needs the agent whose it is.");
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

function isOver({ expiresAt }: RuleRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function listIn(map: Map<string, Rule[]>, key: string): Rule[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function conversationKey(agentId: string, conversation: string): string {
  return `${agentId} ${conversation}`;
}
