import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { MovedQuestion } from "../../machine/db/sharing.ts";
import { type AnswerExtras, type Answerer, checkAnswer, checkRole } from "./answers.ts";
import { createBatchQuestion, splitIntoQuestions } from "./batch-question.ts";
import type { QuestionRecord, Settlement, VisibleState } from "./contract.ts";
import { askedEvent, settledEvent } from "./question-events.ts";
import {
  type Answer,
  MAX_SHOWN,
  makeVisible,
  type QuestionRequest,
  type Redactors,
} from "./question-request.ts";
import type { QuestionFilter, QuestionTable } from "./tables.ts";
import { createWaiter, type Waiter, Waiters } from "./waiters.ts";

/** How many unanswered questions one agent may have. */
export const MAX_PENDING = 20;

export interface QuestionQuery extends Pick<QuestionFilter, "kind" | "agentId" | "before" | "limit"> {
  /** As people see it; `settled`: it can no longer be answered. */
  readonly state?: VisibleState | "settled" | undefined;
}

export interface QuestionsDeps extends Partial<Redactors> {
  readonly store: Pick<QuestionTable, keyof QuestionTable>;
  /** Puts a secret answer into the vault. */
  readonly keepSecret: (name: string, value: string, asked: QuestionRecord) => Promise<void>;
  /** Whether a secret of this name exists; absent: none does. */
  readonly hasSecret?: (name: string) => boolean;
  /** Grants an agent the tool that it asked for. */
  readonly grantTool: (agentId: string, tool: string) => Promise<void>;
  /** Writes and removes the rules of answers that hold for more than one call; absent: such answers are refused. */
  readonly rules?: AnswerRules;
  /** Whether nobody is asked to approve calls of this agent; absent: people are asked for every agent. */
  readonly isHeadless?: (agentId: string) => boolean;
  /** For how long a rejected approval is not asked again; absent: it is asked again at once. */
  readonly rejectedMs?: () => number;
  /**
   * Called with every question that was answered or dismissed here. The answerer's request completes once it resolves.
   */
  readonly onSettled?: (question: QuestionRecord) => Promise<void>;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly expireMs: () => number;
  /** The name of an agent, if it still exists. */
  readonly agentName?: (id: string) => string | undefined;
  /** How often a waiting call polls the store, for unannounced answers from other processes. */
  readonly pollMs?: number;
}

/** The answerer where none is named: the program that embeds the hub. */
const BY_PROGRAM: Answerer = { by: "the program", from: "library", role: "admin" };

export interface AnswerRules {
  /** Writes what the answer to an approval means for later calls; resolves with the ids of the rules. */
  write(
    question: QuestionRecord,
    answer: "conversation" | "always",
    who: Answerer,
    more: AnswerExtras,
  ): Promise<readonly string[]>;
  remove(ids: readonly string[]): Promise<void>;
}

/**
 * What agents ask of people. Stored, so that an answer survives a restart of either side.
 *
 * A record goes pending → answered | dismissed → used; `used` means that a call has received it. A used record without
 * an answer was dismissed.
 */
export class Questions {
  readonly #deps: QuestionsDeps;
  readonly #serialize = createSerial();
  readonly #waiters = new Waiters();
  readonly #listeners = new Set<(question: QuestionRecord) => void>();
  #isClosed = false;

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
  }

  /**
   * Stores the question (or joins an equal open one), waits up to `waitMs` for the answer and uses it up: each answer
   * goes to exactly one call. Zero does not wait. Rejects only when `signal` aborts.
   */
  async ask(request: QuestionRequest, options: { waitMs: number; signal?: AbortSignal }): Promise<Answer> {
    options.signal?.throwIfAborted();
    if (this.#isHeadless(request)) return { kind: "headless" };
    const waiter = createWaiter(options.waitMs, this.#deps.pollMs ?? 1_000, options.signal);
    if (this.#isClosed) waiter.stop();
    try {
      for (;;) {
        const rejection = await this.#findRejection(request);
        if (rejection) return rejection;
        const question = await this.#findOrCreate(request);
        if (!question.ok) return question.error;
        const answer = await this.#waitForAnswer(question.value, request, waiter);
        // An equal call was faster and used the answer up, so this one asks again.
        if (answer) return answer;
      }
    } finally {
      waiter.close();
    }
  }

  /**
   * Stores approvals of one agent that are wanted together as one question for people; each is then asked for and used
   * up by itself. Skips those that are already asked or answered.
   */
  async askTogether(requests: readonly QuestionRequest[]): Promise<void> {
    const [first] = requests;
    if (!first || this.#isHeadless(first)) return;
    await this.#serialize(first.agentId, async () => {
      const missing = await this.#withoutOpen(this.#onlyVisible(requests));
      if (missing.length < 2) return;
      const { store, clock, newId, expireMs } = this.#deps;
      let room = MAX_PENDING - (await this.#countPending(first.agentId));
      for (const part of splitIntoQuestions(missing)) {
        // A single call asks by itself.
        if (part.length < 2) continue;
        if (room-- <= 0) return;
        const now = clock();
        const { visible, members } = createBatchQuestion(part, { newId, now, expiresAt: now + expireMs() });
        await store.createBatch(visible, members);
        this.#announce(visible, first.agentName);
      }
    });
  }

  /** Newest last. */
  list(filter: QuestionQuery = {}): Promise<QuestionRecord[]> {
    const { state, ...rest } = filter;
    const visibility = state && { state, now: this.#deps.clock() };
    return this.#deps.store.list({ ...rest, visible: visibility });
  }

  /** The newest question of this digest that a person answered or dismissed at `since` or later. */
  async findSettled(
    { agentId, digest }: Pick<QuestionRequest, "agentId" | "digest">,
    since: number,
  ): Promise<QuestionRecord | undefined> {
    const questions = await this.#deps.store.list({ agentId });
    return questions.findLast(
      (question) => question.digest === digest && (question.answeredAt ?? 0) >= since,
    );
  }

  /** The state that people see now. */
  stateOf(question: QuestionRecord): VisibleState {
    return visibleState(question, this.#deps.clock());
  }

  get(id: string): Promise<QuestionRecord | undefined> {
    return this.#deps.store.get(id);
  }

  /**
   * Throws NOT_FOUND; BAD_REQUEST for an answer that the question does not accept, or if it is no longer pending;
   * FORBIDDEN for an answer that the answerer's role may not give.
   */
  async answer(
    id: string,
    answer: string,
    who: Answerer = BY_PROGRAM,
    extras: AnswerExtras = {},
  ): Promise<QuestionRecord> {
    const question = await this.#requirePending(id);
    checkAnswer(question, answer, extras);
    checkRole(question, answer, who.role, (name) => this.#deps.hasSecret?.(name) === true);
    const storedAnswer = question.kind === "secret" ? await this.#storeSecret(question, answer) : answer;
    // Written before it is settled: whoever hears of the settlement must find the rules.
    const ruleIds = isLasting(answer) ? await this.#writeRules(question, answer, who, extras) : [];
    const settlement: Settlement = {
      by: who.by,
      from: who.from,
      ...(extras.reason !== undefined && extras.reason !== "" && { reason: extras.reason }),
      ...(ruleIds.length > 0 && { ruleIds }),
    };
    let settled: QuestionRecord;
    try {
      settled = await this.#settle(question, { state: "answered", answer: storedAnswer, settlement });
    } catch (error) {
      if (ruleIds.length > 0) await this.#deps.rules?.remove(ruleIds);
      throw error;
    }
    // Granted only once it is settled: of two people who answer at the same time, one is told that it already was.
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
    const question = await this.#requirePending(id);
    const settled = await this.#settle(question, {
      state: "dismissed",
      answer: null,
      settlement: { by: who.by, from: who.from },
    });
    await this.#deps.onSettled?.(settled);
    this.#deps.events.emit("question.dismissed", settledEvent(settled));
    return settled;
  }

  /** Calls `listener` with every question that this process stores; returns the function that unsubscribes it. */
  onAsked(listener: (question: QuestionRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Another process changed a question: wakes the calls that wait for it and emits the event. */
  async onMovedElsewhere({ id, state }: MovedQuestion): Promise<void> {
    this.#waiters.wake(id);
    if (state === "used") return;
    const { events, store, agentName } = this.#deps;
    const moved = await store.get(id);
    // A batch is announced once, by its visible question.
    if (!moved || moved.batchId !== null) return;
    if (state === "answered") events.emit("question.answered", settledEvent(moved));
    if (state === "dismissed") events.emit("question.dismissed", settledEvent(moved));
    if (state === "pending")
      events.emit("question.asked", askedEvent(moved, agentName?.(moved.agentId) ?? moved.agentId));
  }

  /** Ends every wait at once; later calls do not wait. */
  close(): void {
    this.#isClosed = true;
    this.#waiters.stopAll();
  }

  #isHeadless({ kind, agentId }: QuestionRequest): boolean {
    return kind === "approval" && this.#deps.isHeadless?.(agentId) === true;
  }

  /** What a person has rejected is not asked again for a while. */
  async #findRejection({ kind, digest }: QuestionRequest): Promise<Answer | undefined> {
    const { rejectedMs, store, clock } = this.#deps;
    if (kind !== "approval" || !rejectedMs) return undefined;
    const rejection = await store.refused(digest, clock() - rejectedMs());
    if (!rejection) return undefined;
    if (rejection.state !== "used") await store.move(rejection.id, rejection.state, { state: "used" });
    return toRejected(rejection);
  }

  get #redactors(): Redactors {
    const { redact = String, redactForApproval = String } = this.#deps;
    return { redact, redactForApproval };
  }

  /** Drops requests that cannot be shown in full; each is told so when it asks by itself. */
  #onlyVisible(requests: readonly QuestionRequest[]): QuestionRequest[] {
    return requests.flatMap((request) => makeVisible(request, this.#redactors) ?? []);
  }

  /** Drops requests that are already open; of several equal ones each needs its own. */
  async #withoutOpen(requests: readonly QuestionRequest[]): Promise<QuestionRequest[]> {
    const { store, clock } = this.#deps;
    const open = new Map(await store.countOpen([...new Set(requests.map(({ digest }) => digest))], clock()));
    const missing: QuestionRequest[] = [];
    for (const request of requests) {
      const remaining = open.get(request.digest) ?? 0;
      if (remaining > 0) open.set(request.digest, remaining - 1);
      else if (!(await this.#findRejection(request))) missing.push(request);
    }
    return missing;
  }

  async #countPending(agentId: string): Promise<number> {
    const { store, clock } = this.#deps;
    const pending = await store.list({ visible: { state: "pending", now: clock() }, agentId });
    return pending.length;
  }

  async #writeRules(
    question: QuestionRecord,
    answer: "conversation" | "always",
    who: Answerer,
    extras: AnswerExtras,
  ): Promise<readonly string[]> {
    if (question.kind !== "approval") return [];
    if (!this.#deps.rules)
      throw new ToolkeepError(
        "BAD_REQUEST",
        `the answer ${answer} is not available here: it needs rules, and there are none`,
      );
    return this.#deps.rules.write(question, answer, who, extras);
  }

  #announce(question: QuestionRecord, agent: string): void {
    this.#deps.events.emit("question.asked", askedEvent(question, agent));
    for (const listener of this.#listeners) listener(question);
  }

  /** The error: nobody can be asked. One at a time per agent, so that equal questions are joined. */
  #findOrCreate(request: QuestionRequest): Promise<Result<QuestionRecord, Answer>> {
    return this.#serialize(request.agentId, async () => {
      const { store, clock } = this.#deps;
      const open =
        (await store.open(request.digest, clock())) ?? (await this.#findUndeliveredDismissal(request));
      if (open) return ok(open);
      const visible = makeVisible(request, this.#redactors);
      if (!visible) return err({ kind: "too_long", limit: MAX_SHOWN });
      if ((await this.#countPending(request.agentId)) >= MAX_PENDING)
        return err({ kind: "too_many", limit: MAX_PENDING });
      return ok(await this.#create(visible));
    });
  }

  async #create(request: QuestionRequest): Promise<QuestionRecord> {
    const { store, clock, newId, expireMs } = this.#deps;
    const { kind, agentId, digest, prompt, details } = request;
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
    // Otherwise another process asked the same at the same moment, and has announced it.
    if (created.id === question.id) this.#announce(question, request.agentName);
    return created;
  }

  /** A question that was dismissed while no call waited for it. */
  async #findUndeliveredDismissal(request: QuestionRequest): Promise<QuestionRecord | undefined> {
    const dismissed = await this.#deps.store.list({ state: "dismissed", agentId: request.agentId });
    const now = this.#deps.clock();
    return dismissed.findLast((question) => question.digest === request.digest && question.expiresAt > now);
  }

  /** Undefined when the answer went to another call. */
  async #waitForAnswer(
    question: QuestionRecord,
    request: QuestionRequest,
    waiter: Waiter,
  ): Promise<Answer | undefined> {
    const { id, expiresAt, batchId } = question;
    const leave = this.#waiters.enter(id, waiter);
    try {
      for (;;) {
        // Read before polling: a change after the poll wakes the waiter.
        const isLastPoll = waiter.isOver;
        const current = await this.#deps.store.get(id);
        if (current?.state === "answered") return await this.#use(current, request);
        if (current?.state === "dismissed" || (current?.state === "used" && current.answer === null)) {
          await this.#deps.store.move(id, "dismissed", { state: "used" });
          return { kind: "dismissed", id: batchId ?? id };
        }
        if (current?.state === "used") return undefined;
        if (isLastPoll) return { kind: "pending", id: batchId ?? id, expiresAt };
        await waiter.sleep();
      }
    } finally {
      leave();
    }
  }

  async #use(question: QuestionRecord, { kind, isStillValid }: QuestionRequest): Promise<Answer | undefined> {
    const isOurs = await this.#deps.store.move(question.id, "answered", { state: "used" });
    if (!isOurs) return undefined;
    if (kind === "approval" && question.answer === "reject") return toRejected(question);
    if (isStillValid && !(await isStillValid(question))) return undefined;
    const { id, batchId, answer, settlement } = question;
    const by = settlement?.by;
    const answeredBy = by === undefined ? {} : { by };
    return { kind: "answered", id: batchId ?? id, answer: answer ?? "", usedId: id, ...answeredBy };
  }

  /** The call that used this answer was certainly never made: an equal call may use it until it expires. */
  async release(usedId: string): Promise<void> {
    if (await this.#deps.store.move(usedId, "used", { state: "answered" })) this.#waiters.wake(usedId);
  }

  async #requirePending(id: string): Promise<QuestionRecord> {
    const question = await this.#deps.store.get(id);
    // A single call of a batch cannot be answered: people are shown the batch.
    if (question?.batchId !== null) throw new ToolkeepError("NOT_FOUND", `There is no question ${id}.`);
    const state = this.stateOf(question);
    if (state !== "pending") throw noLongerPending(id, state);
    return question;
  }

  /** The vault gets the value, the record only its name. */
  async #storeSecret(question: QuestionRecord, value: string): Promise<string> {
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
    // The store announces the members of its batch to other processes; calls that wait here find them by polling.
    if (Array.isArray(question.details.calls)) this.#waiters.wakeAll();
    this.#waiters.wake(question.id);
    return { ...question, ...change };
  }
}

/** The state that people see at this time. `QuestionTable` selects by the same definition. */
export function visibleState(
  { state, answer, expiresAt }: Pick<QuestionRecord, "state" | "answer" | "expiresAt">,
  now: number,
): VisibleState {
  if (state === "pending") return expiresAt > now ? "pending" : "expired";
  return state === "used" && answer === null ? "dismissed" : state;
}

function isLasting(answer: string): answer is "conversation" | "always" {
  return answer === "conversation" || answer === "always";
}

function toRejected({ id, batchId, settlement }: QuestionRecord): Answer {
  const reason = settlement?.reason;
  return { kind: "rejected", id: batchId ?? id, ...(reason !== undefined && { reason }) };
}

function noLongerPending(id: string, state: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `Only a pending question can be answered or dismissed; ${id} is ${state}.`,
  );
}
