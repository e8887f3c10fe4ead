import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { MovedQuestion } from "../../machine/db/sharing.ts";
import type { QuestionRecord, QuestionStore, Settlement } from "../../machine/db/store.ts";
import {
  type QuestionFilter,
  type VisibleState,
  visibleState,
} from "../../machine/db/tables/trust/question-record.ts";
import { type Answerer, type AnswerMore, acceptAnswer, checkRole } from "./answers.ts";
import { type Answer, type Asking, MAX_SHOWN, type Redactors, visibleAsking } from "./asking.ts";
import { batchQuestion, inQuestions } from "./batch-question.ts";
import { askedEvent, settledEvent } from "./question-events.ts";
import { createWaiter, type Waiter, Waiters } from "./waiters.ts";

/** How many unanswered questions one agent may have. */
export const MAX_PENDING = 20;

export interface ListedQuestions extends Pick<QuestionFilter, "kind" | "agentId" | "before" | "limit"> {
  /** As people see it; `settled`: nobody can answer it any more. */
  readonly state?: VisibleState | "settled" | undefined;
}

export interface QuestionsDeps extends Partial<Redactors> {
  readonly store: QuestionStore;
  /** Puts a secret answer into the vault. */
  readonly keepSecret: (name: string, value: string, asked: QuestionRecord) => Promise<void>;
  /** Whether there is a secret of this name; absent: there is none. */
  readonly isKept?: (name: string) => boolean;
  /** Gives an agent the tool that it asked for. */
  readonly grantTool: (agentId: string, tool: string) => Promise<void>;
  /** Writes and takes back the rules of answers that hold for more than one call; absent: there are none. */
  readonly rules?: AnswerRules;
  /** Nobody may be asked to approve a call of this agent; absent: of every one. */
  readonly isHeadless?: (agentId: string) => boolean;
  /** How long a rejected approval is not asked again; absent: it is. */
  readonly rejectedMs?: () => number;
  /** Told of every question that was answered or dismissed here; whoever did is told once it resolves. */
  readonly onSettled?: (question: QuestionRecord) => Promise<void>;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly expireMs: () => number;
  /** The name of an agent, where it still exists. */
  readonly agentName?: (id: string) => string | undefined;
  /** How often a waiting call looks into the store, for answers of other processes that were not announced. */
  readonly pollMs?: number;
}

/** Who asks nothing of an answerer: the program that embeds the hub. */
const BY_PROGRAM: Answerer = { by: "the program", from: "library", role: "admin" };

export interface AnswerRules {
  /** Writes what the answer to an approval says for later calls; the ids of the rules. */
  write(
    question: QuestionRecord,
    answer: "conversation" | "always",
    who: Answerer,
    more: AnswerMore,
  ): Promise<readonly string[]>;
  remove(ids: readonly string[]): Promise<void>;
}

/**
 * What agents ask of people. Kept in the store, so that an answer survives a restart of either side.
 *
 * A record goes pending → answered | dismissed → used; `used` means that a call has been told. One that was
 * dismissed and told has no answer.
 */
export class Questions {
  readonly #deps: QuestionsDeps;
  readonly #serially = createSerial();
  readonly #waiters = new Waiters();
  readonly #listeners = new Set<(question: QuestionRecord) => void>();
  #closed = false;

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
  }

  /**
   * Stores the question (or joins the equal open one), waits up to `waitMs` for the answer and uses it up: each
   * answer is given to exactly one call. Zero does not wait. Rejects only when `signal` aborts.
   */
  async ask(asking: Asking, options: { waitMs: number; signal?: AbortSignal }): Promise<Answer> {
    options.signal?.throwIfAborted();
    if (this.#isHeadless(asking)) return { kind: "headless" };
    const waiter = createWaiter(options.waitMs, this.#deps.pollMs ?? 1_000, options.signal);
    if (this.#closed) waiter.stop();
    try {
      for (;;) {
        const refused = await this.#refused(asking);
        if (refused) return refused;
        const question = await this.#findOrCreate(asking);
        if (!question.ok) return question.error;
        const answer = await this.#await(question.value, asking, waiter);
        // An equal call was faster and used the answer up: this one has to ask again.
        if (answer) return answer;
      }
    } finally {
      waiter.close();
    }
  }

  /**
   * Stores approvals of one agent that are wanted together so that people are shown one question for them; each is then
   * asked for and used up by itself. Leaves out those that are asked or answered already.
   */
  async askTogether(askings: readonly Asking[]): Promise<void> {
    const [first] = askings;
    if (!first || this.#isHeadless(first)) return;
    await this.#serially(first.agentId, async () => {
      const missing = await this.#notAskedYet(this.#visible(askings));
      if (missing.length < 2) return;
      const { store, clock, newId, expireMs } = this.#deps;
      let room = MAX_PENDING - (await this.#pendingOf(first.agentId));
      for (const part of inQuestions(missing)) {
        // A single one asks by itself.
        if (part.length < 2) continue;
        if (room-- <= 0) return;
        const now = clock();
        const { shown, members } = batchQuestion(part, { newId, now, expiresAt: now + expireMs() });
        await store.createBatch(shown, members);
        this.#tellAsked(shown, first.agentName);
      }
    });
  }

  /** Newest last. */
  list(filter: ListedQuestions = {}): Promise<QuestionRecord[]> {
    const { state, ...rest } = filter;
    const visible = state && { state, now: this.#deps.clock() };
    return this.#deps.store.list({ ...rest, visible });
  }

  /** The newest question of this digest that a person answered or dismissed at `since` or later. */
  async settled(
    { agentId, digest }: Pick<Asking, "agentId" | "digest">,
    since: number,
  ): Promise<QuestionRecord | undefined> {
    const asked = await this.#deps.store.list({ agentId });
    return asked.findLast((question) => question.digest === digest && (question.answeredAt ?? 0) >= since);
  }

  /** The state that people see, by now. */
  stateOf(question: QuestionRecord): VisibleState {
    return visibleState(question, this.#deps.clock());
  }

  get(id: string): Promise<QuestionRecord | undefined> {
    return this.#deps.store.get(id);
  }

  /**
   * Throws NOT_FOUND, BAD_REQUEST for an answer the question does not take or when it is no longer pending, FORBIDDEN for one
   * that whoever answers has not the role for.
   */
  async answer(
    id: string,
    answer: string,
    who: Answerer = BY_PROGRAM,
    more: AnswerMore = {},
  ): Promise<QuestionRecord> {
    const question = await this.#pending(id);
    acceptAnswer(question, answer, more);
    checkRole(question, answer, who.role, (name) => this.#deps.isKept?.(name) === true);
    const kept = question.kind === "secret" ? await this.#keepSecret(question, answer) : answer;
    // Before it is settled: whoever hears that it is must find the rules.
    const ruleIds = isLasting(answer) ? await this.#writeRules(question, answer, who, more) : [];
    const settlement: Settlement = {
      by: who.by,
      from: who.from,
      ...(more.reason !== undefined && more.reason !== "" && { reason: more.reason }),
      ...(ruleIds.length > 0 && { ruleIds }),
    };
    let settled: QuestionRecord;
    try {
      settled = await this.#settle(question, { state: "answered", answer: kept, settlement });
    } catch (error) {
      if (ruleIds.length > 0) await this.#deps.rules?.remove(ruleIds);
      throw error;
    }
    // Only once it is settled: of two people who answer at the same time one is told that it was.
    try {
      if (question.kind === "access" && answer === "grant")
        await this.#deps.grantTool(question.agentId, String(question.details.tool));
    } finally {
      await this.#deps.onSettled?.(settled);
    }
    this.#deps.events.emit("question.answered", settledEvent(settled));
    return settled;
  }

  /** The caller is told that nobody will answer. */
  async dismiss(id: string, who: Answerer = BY_PROGRAM): Promise<QuestionRecord> {
    const question = await this.#pending(id);
    const settled = await this.#settle(question, {
      state: "dismissed",
      answer: null,
      settlement: { by: who.by, from: who.from },
    });
    await this.#deps.onSettled?.(settled);
    this.#deps.events.emit("question.dismissed", settledEvent(settled));
    return settled;
  }

  /** Calls `listener` with every question that this process stored; returns the function that stops it. */
  onAsked(listener: (question: QuestionRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Another process moved a question on: whoever waits for it looks again, whoever listens is told. */
  async heardOf({ id, state }: MovedQuestion): Promise<void> {
    this.#waiters.ring(id);
    if (state === "used") return;
    const { events, store, agentName } = this.#deps;
    const moved = await store.get(id);
    // Of a batch people hear once.
    if (!moved || moved.batchId !== null) return;
    if (state === "answered") events.emit("question.answered", settledEvent(moved));
    if (state === "dismissed") events.emit("question.dismissed", settledEvent(moved));
    if (state === "pending")
      events.emit("question.asked", askedEvent(moved, agentName?.(moved.agentId) ?? moved.agentId));
  }

  /** Ends every wait at once; from then on nobody waits. */
  close(): void {
    this.#closed = true;
    this.#waiters.stopAll();
  }

  #isHeadless({ kind, agentId }: Asking): boolean {
    return kind === "approval" && this.#deps.isHeadless?.(agentId) === true;
  }

  /** What a person has said no to is not asked again for a while. */
  async #refused({ kind, digest }: Asking): Promise<Answer | undefined> {
    const { rejectedMs, store, clock } = this.#deps;
    if (kind !== "approval" || !rejectedMs) return undefined;
    const refused = await store.refused(digest, clock() - rejectedMs());
    if (!refused) return undefined;
    if (refused.state !== "used") await store.move(refused.id, refused.state, { state: "used" });
    return rejected(refused);
  }

  get #redactors(): Redactors {
    const { redact = String, redactAsked = String } = this.#deps;
    return { redact, redactAsked };
  }

  /** Without those that cannot be shown whole: each of them is told so when it asks by itself. */
  #visible(askings: readonly Asking[]): Asking[] {
    return askings.flatMap((asking) => visibleAsking(asking, this.#redactors) ?? []);
  }

  /** Without those that are open already; of several equal ones each counts. */
  async #notAskedYet(askings: readonly Asking[]): Promise<Asking[]> {
    const { store, clock } = this.#deps;
    const open = new Map(await store.countOpen([...new Set(askings.map(({ digest }) => digest))], clock()));
    const missing: Asking[] = [];
    for (const asking of askings) {
      const left = open.get(asking.digest) ?? 0;
      if (left > 0) open.set(asking.digest, left - 1);
      else if (!(await this.#refused(asking))) missing.push(asking);
    }
    return missing;
  }

  async #pendingOf(agentId: string): Promise<number> {
    const { store, clock } = this.#deps;
    const waiting = await store.list({ visible: { state: "pending", now: clock() }, agentId });
    return waiting.length;
  }

  async #writeRules(
    question: QuestionRecord,
    answer: "conversation" | "always",
    who: Answerer,
    more: AnswerMore,
  ): Promise<readonly string[]> {
    if (question.kind !== "approval") return [];
    if (!this.#deps.rules) throw new ToolkeepError("BAD_REQUEST", `${answer} cannot be answered here`);
    return this.#deps.rules.write(question, answer, who, more);
  }

  #tellAsked(question: QuestionRecord, agent: string): void {
    this.#deps.events.emit("question.asked", askedEvent(question, agent));
    for (const listener of this.#listeners) listener(question);
  }

  /** The error: nobody can be asked. One at a time per agent, so that equal ones meet. */
  #findOrCreate(asking: Asking): Promise<Result<QuestionRecord, Answer>> {
    return this.#serially(asking.agentId, async () => {
      const { store, clock } = this.#deps;
      const open = (await store.open(asking.digest, clock())) ?? (await this.#untoldDismissal(asking));
      if (open) return ok(open);
      const shown = visibleAsking(asking, this.#redactors);
      if (!shown) return err({ kind: "too_long", limit: MAX_SHOWN });
      if ((await this.#pendingOf(asking.agentId)) >= MAX_PENDING)
        return err({ kind: "too_many", limit: MAX_PENDING });
      return ok(await this.#create(shown));
    });
  }

  async #create(asking: Asking): Promise<QuestionRecord> {
    const { store, clock, newId, expireMs } = this.#deps;
    const { kind, agentId, digest, prompt, details } = asking;
    const now = clock();
    const question: QuestionRecord = {
      id: newId("qst"),
      kind,
      agentId,
      digest,
      prompt,
      details,
      state: "pending",
      answer: null,
      createdAt: now,
      expiresAt: now + expireMs(),
      answeredAt: null,
      settlement: null,
      batchId: null,
    };
    const created = await store.create(question);
    // Another process asked the same at the same moment, and has told.
    if (created.id === question.id) this.#tellAsked(question, asking.agentName);
    return created;
  }

  /** A question that was dismissed while no call waited for it. */
  async #untoldDismissal(asking: Asking): Promise<QuestionRecord | undefined> {
    const dismissed = await this.#deps.store.list({ state: "dismissed", agentId: asking.agentId });
    const now = this.#deps.clock();
    return dismissed.findLast((question) => question.digest === asking.digest && question.expiresAt > now);
  }

  /** Undefined when the answer went to another call. */
  async #await(question: QuestionRecord, asking: Asking, waiter: Waiter): Promise<Answer | undefined> {
    const { id, expiresAt, batchId } = question;
    const leave = this.#waiters.enter(id, waiter);
    try {
      for (;;) {
        // Read before looking: what happens after the look rings the waiter.
        const lastLook = waiter.over;
        const now = await this.#deps.store.get(id);
        if (now?.state === "answered") return await this.#use(now, asking);
        if (now?.state === "dismissed" || (now?.state === "used" && now.answer === null)) {
          await this.#deps.store.move(id, "dismissed", { state: "used" });
          return { kind: "dismissed", id: batchId ?? id };
        }
        if (now?.state === "used") return undefined;
        if (lastLook) return { kind: "pending", id: batchId ?? id, expiresAt };
        await waiter.sleep();
      }
    } finally {
      leave();
    }
  }

  async #use(question: QuestionRecord, { kind, isGood }: Asking): Promise<Answer | undefined> {
    const mine = await this.#deps.store.move(question.id, "answered", { state: "used" });
    if (!mine) return undefined;
    if (kind === "approval" && question.answer === "reject") return rejected(question);
    if (isGood && !(await isGood(question))) return undefined;
    const { id, batchId, answer, settlement } = question;
    const by = settlement?.by;
    const more = by === undefined ? {} : { by };
    return { kind: "answered", id: batchId ?? id, answer: answer ?? "", used: id, ...more };
  }

  /** The call that used this answer up was certainly never made: an equal one may use it, while it has not expired. */
  async giveBack(used: string): Promise<void> {
    if (await this.#deps.store.move(used, "used", { state: "answered" })) this.#waiters.ring(used);
  }

  async #pending(id: string): Promise<QuestionRecord> {
    const question = await this.#deps.store.get(id);
    // Nobody answers one call of a batch alone: people are shown the batch.
    if (question?.batchId !== null) throw new ToolkeepError("NOT_FOUND", `There is no question ${id}.`);
    const state = this.stateOf(question);
    if (state !== "pending") throw noLongerPending(id, state);
    return question;
  }

  /** The vault gets the value, the record only its name. */
  async #keepSecret(question: QuestionRecord, value: string): Promise<string> {
    const name = String(question.details.name);
    await this.#deps.keepSecret(name, value, question);
    return name;
  }

  async #settle(
    question: QuestionRecord,
    outcome: { state: "answered" | "dismissed"; answer: string | null; settlement: Settlement },
  ): Promise<QuestionRecord> {
    const change = { ...outcome, answeredAt: this.#deps.clock() };
    const moved = await this.#deps.store.move(question.id, "pending", change);
    if (!moved) throw noLongerPending(question.id, "settled by somebody else");
    // Those of its batch are told by the store where others wait, and found by looking where they wait here.
    if (Array.isArray(question.details.calls)) this.#waiters.ringAll();
    this.#waiters.ring(question.id);
    return { ...question, ...change };
  }
}

function isLasting(answer: string): answer is "conversation" | "always" {
  return answer === "conversation" || answer === "always";
}

function rejected({ id, batchId, settlement }: QuestionRecord): Answer {
  const reason = settlement?.reason;
  return { kind: "rejected", id: batchId ?? id, ...(reason !== undefined && { reason }) };
}

function noLongerPending(id: string, state: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `Only a pending question can be answered or dismissed; ${id} is ${state}.`,
  );
}
