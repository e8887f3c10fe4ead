import { ToolkeepError } from "../errors.ts";
import type { Events } from "../events.ts";
import type { Clock } from "../lib/clock.ts";
import type { NewId } from "../lib/id.ts";
import { createSerial } from "../lib/serial.ts";
import type { MovedQuestion } from "../store/sharing.ts";
import type { QuestionRecord, QuestionStore } from "../store/store.ts";
import { acceptAnswer } from "./accept-answer.ts";
import type { Answer, Asking, Questions } from "./questions.ts";
import { createWaiter, type Waiter } from "./waiter.ts";

/** How many unanswered questions one agent may have. */
export const MAX_PENDING = 20;

export interface QuestionsDeps {
  readonly store: QuestionStore;
  /** Puts a secret answer into the vault. */
  readonly keepSecret: (name: string, value: string) => Promise<void>;
  /** Gives an agent the tool that it asked for. */
  readonly grantTool: (agentId: string, tool: string) => Promise<void>;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly expireMs: () => number;
  /** The name of an agent, where it still exists. */
  readonly agentName?: (id: string) => string | undefined;
  /** How often a waiting call looks into the store, for answers of other processes that were not announced. */
  readonly pollMs?: number;
}

export function createQuestions(deps: QuestionsDeps): Questions {
  return new StoredQuestions(deps);
}

/**
 * A question goes pending → answered | dismissed → used; `used` means that a call has been told. One that was
 * dismissed and told has no answer.
 */
class StoredQuestions implements Questions {
  readonly #deps: QuestionsDeps;
  readonly #serially = createSerial();
  readonly #waiters = new Map<string, Set<Waiter>>();

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
  }

  async ask(asking: Asking, options: { waitMs: number; signal?: AbortSignal }): Promise<Answer> {
    options.signal?.throwIfAborted();
    const waiter = createWaiter(options.waitMs, this.#deps.pollMs ?? 1_000, options.signal);
    try {
      for (;;) {
        const question = await this.#findOrCreate(asking);
        if (!question) return { kind: "too_many", limit: MAX_PENDING };
        const answer = await this.#await(question, waiter);
        // An equal call was faster and used the answer up: this one has to ask again.
        if (answer) return answer;
      }
    } finally {
      waiter.close();
    }
  }

  async list(filter?: { state?: QuestionRecord["state"] }): Promise<QuestionRecord[]> {
    const found = await this.#deps.store.list(filter);
    const now = this.#deps.clock();
    return filter?.state === "pending" ? found.filter((question) => question.expiresAt > now) : found;
  }

  async settled(
    { agentId, digest }: Pick<Asking, "agentId" | "digest">,
    since: number,
  ): Promise<QuestionRecord | undefined> {
    const asked = await this.#deps.store.list({ agentId });
    return asked.findLast((question) => question.digest === digest && (question.answeredAt ?? 0) >= since);
  }

  async answer(id: string, answer: string): Promise<QuestionRecord> {
    const question = await this.#pending(id);
    acceptAnswer(question, answer);
    const kept = question.kind === "secret" ? await this.#keepSecret(question, answer) : answer;
    const settled = await this.#settle(question, { state: "answered", answer: kept });
    // Only once it is settled: of two people who answer at the same time one is told that it was.
    if (question.kind === "access" && answer === "grant")
      await this.#deps.grantTool(question.agentId, String(question.details.tool));
    this.#deps.events.emit("question.answered", { id });
    return settled;
  }

  async dismiss(id: string): Promise<QuestionRecord> {
    const settled = await this.#settle(await this.#pending(id), { state: "dismissed", answer: null });
    this.#deps.events.emit("question.dismissed", { id });
    return settled;
  }

  async heardOf({ id, state }: MovedQuestion): Promise<void> {
    this.#ring(id);
    const { events, store, agentName } = this.#deps;
    if (state === "answered") events.emit("question.answered", { id });
    if (state === "dismissed") events.emit("question.dismissed", { id });
    if (state !== "pending") return;
    const asked = await store.get(id);
    if (!asked) return;
    const { agentId, kind } = asked;
    events.emit("question.asked", { id, agent: agentName?.(agentId) ?? agentId, kind });
  }

  close(): void {
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.stop();
  }

  /** Undefined when the agent has too many questions already. One at a time per agent, so that equal ones meet. */
  #findOrCreate(asking: Asking): Promise<QuestionRecord | undefined> {
    return this.#serially(asking.agentId, async () => {
      const { store, clock } = this.#deps;
      const open = (await store.open(asking.digest, clock())) ?? (await this.#untoldDismissal(asking));
      if (open) return open;
      const pending = await store.list({ state: "pending", agentId: asking.agentId });
      if (pending.filter((question) => question.expiresAt > clock()).length >= MAX_PENDING) return undefined;
      return this.#create(asking);
    });
  }

  async #create(asking: Asking): Promise<QuestionRecord> {
    const { store, clock, newId, expireMs, events } = this.#deps;
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
    };
    const created = await store.create(question);
    // Another process asked the same at the same moment, and has told.
    if (created.id === question.id)
      events.emit("question.asked", { id: question.id, agent: asking.agentName, kind });
    return created;
  }

  /** A question that was dismissed while no call waited for it. */
  async #untoldDismissal(asking: Asking): Promise<QuestionRecord | undefined> {
    const dismissed = await this.#deps.store.list({ state: "dismissed", agentId: asking.agentId });
    const now = this.#deps.clock();
    return dismissed.findLast((question) => question.digest === asking.digest && question.expiresAt > now);
  }

  /** Undefined when the answer went to another call. */
  async #await(question: QuestionRecord, waiter: Waiter): Promise<Answer | undefined> {
    const { id, expiresAt } = question;
    this.#enter(id, waiter);
    try {
      for (;;) {
        // Read before looking: what happens after the look rings the waiter.
        const lastLook = waiter.over;
        const now = await this.#deps.store.get(id);
        if (now?.state === "answered") return await this.#use(now);
        if (now?.state === "dismissed" || (now?.state === "used" && now.answer === null)) {
          await this.#deps.store.move(id, "dismissed", { state: "used" });
          return { kind: "dismissed", id };
        }
        if (now?.state === "used") return undefined;
        if (lastLook) return { kind: "pending", id, expiresAt };
        await waiter.sleep();
      }
    } finally {
      this.#leave(id, waiter);
    }
  }

  async #use(question: QuestionRecord): Promise<Answer | undefined> {
    const mine = await this.#deps.store.move(question.id, "answered", { state: "used" });
    return mine ? { kind: "answered", id: question.id, answer: question.answer ?? "" } : undefined;
  }

  async #pending(id: string): Promise<QuestionRecord> {
    const question = await this.#deps.store.get(id);
    if (!question) throw new ToolkeepError("NOT_FOUND", `There is no question ${id}.`);
    if (question.state !== "pending") throw noLongerPending(id, question.state);
    if (question.expiresAt <= this.#deps.clock()) throw noLongerPending(id, "expired");
    return question;
  }

  /** The vault gets the value, the record only its name. */
  async #keepSecret(question: QuestionRecord, value: string): Promise<string> {
    const name = String(question.details.name);
    await this.#deps.keepSecret(name, value);
    return name;
  }

  async #settle(
    question: QuestionRecord,
    outcome: { state: "answered" | "dismissed"; answer: string | null },
  ): Promise<QuestionRecord> {
    const change = { ...outcome, answeredAt: this.#deps.clock() };
    const moved = await this.#deps.store.move(question.id, "pending", change);
    if (!moved) throw noLongerPending(question.id, "settled by somebody else");
    this.#ring(question.id);
    return { ...question, ...change };
  }

  #ring(id: string): void {
    for (const waiter of this.#waiters.get(id) ?? []) waiter.ring();
  }

  #enter(id: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters.add(waiter));
  }

  #leave(id: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(id);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(id);
  }
}

function noLongerPending(id: string, state: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `Only a pending question can be answered or dismissed; ${id} is ${state}.`,
  );
}
