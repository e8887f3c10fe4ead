import type { Answering, InputRequest, Inquiry, ToolOutcome } from "../../../contract/tool.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import type { NewId } from "../../../lib/id.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Params } from "../messages.ts";
import type { StateBinding } from "./request-state.ts";

/** How long to collect inquiries that a server sends together. */
const GATHER_MS = 20;
const MAX_HELD = 1_000;
const MAX_HELD_PER_TOKEN = 50;
/** How many inquiries of one call may be open. */
const MAX_OPEN = 32;

/** The answer to a client: the end of its call, or inquiries. */
export type Round =
  | { readonly kind: "ended"; readonly outcome: ToolOutcome }
  | { readonly kind: "asks"; readonly inquiries: InputRequest["inquiries"] };

interface OpenInquiry {
  readonly inquiry: Inquiry;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: Error) => void;
}

/** Sends progress to the request that currently waits for the call. */
export type Notify = (method: string, params: Params) => void;

/**
 * A call of a modern client to a server that asks while it works, which 2026-07-28 cannot express: the call is held here
 * while its client answers, and continues when the client calls again.
 */
export class HeldCall {
  readonly binding: StateBinding;
  readonly answering: Answering;
  readonly #calls: HeldCalls;
  #id: string | undefined;
  readonly signal = new LightSignal();
  readonly #open = new Map<string, OpenInquiry>();
  #askedCount = 0;
  #gatherTimer: NodeJS.Timeout | undefined;
  #expiryTimer: NodeJS.Timeout | undefined;
  #outcome: ToolOutcome | undefined;
  #failure: unknown;
  #notify: Notify = () => {};
  /** The request that waits for this call. */
  #waiter: { settle: (round: Round) => void; fail: (error: unknown) => void } | undefined;

  constructor(binding: StateBinding, capabilities: Params, calls: HeldCalls) {
    this.binding = binding;
    this.#calls = calls;
    this.answering = {
      capabilities,
      isExclusive: true,
      answer: (inquiry, signal) => this.#ask(inquiry, signal),
    };
  }

  /** Created on first use, because few calls ask. */
  get id(): string {
    this.#id ??= this.#calls.newId("held");
    return this.#id;
  }

  get hasWaiter(): boolean {
    return this.#waiter !== undefined;
  }

  readonly notify: Notify = (method, params) => this.#notify(method, params);

  /** Follows the call to its end. */
  run(outcome: Promise<ToolOutcome>): void {
    outcome.then(
      (ended) => {
        this.#outcome = ended;
        this.#settleRound();
      },
      (error: unknown) => {
        this.#failure = error;
        this.#settleRound();
      },
    );
  }

  /** Waits for the next round. If `client` aborts first, the client has left and the call is cancelled. */
  async next(notify: Notify, client: AbortSignal): Promise<Round> {
    clearTimeout(this.#expiryTimer);
    this.#notify = notify;
    const abort = () => this.signal.abort("the client is gone");
    if (client.aborted) abort();
    else client.addEventListener("abort", abort);
    try {
      return await new Promise<Round>((settle, fail) => {
        this.#waiter = { settle, fail };
        if (this.#isSettled) this.#settleRound();
      });
    } finally {
      client.removeEventListener("abort", abort);
      this.#notify = () => {};
      this.#waiter = undefined;
      if (this.#isSettled) this.#forget();
      else this.#expiryTimer = setTimeout(() => this.close(), this.#calls.holdMs).unref();
    }
  }

  /** Takes the client's answers. Returns false if any is missing: the client is asked again. */
  takeAnswers(answers: unknown): boolean {
    for (const [key, open] of this.#open) {
      const answer = isRecord(answers) && Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isRecord(answer)) continue;
      this.#open.delete(key);
      open.resolve(answer);
    }
    return this.#open.size === 0;
  }

  /** The inquiries that the client has not answered yet. */
  get inquiries(): InputRequest["inquiries"] {
    return Object.fromEntries([...this.#open].map(([key, { inquiry }]) => [key, inquiry]));
  }

  /** Cancels the call: nobody came back for it, or Toolkeep stops. */
  close(): void {
    clearTimeout(this.#gatherTimer);
    clearTimeout(this.#expiryTimer);
    this.#forget();
    this.signal.abort("nobody answered");
    for (const { reject } of this.#open.values()) reject(new Error("the caller did not answer in time"));
    this.#open.clear();
  }

  get #isSettled(): boolean {
    return this.#outcome !== undefined || this.#failure !== undefined;
  }

  #forget(): void {
    if (this.#id !== undefined) this.#calls.forget(this);
  }

  #ask(inquiry: Inquiry, signal: AbortSignal): Promise<Params> {
    if (this.signal.aborted || signal.aborted) return Promise.reject(new Error("the call was cancelled"));
    if (this.#open.size >= MAX_OPEN || !this.#calls.keep(this)) {
      return Promise.reject(new Error("too many questions wait for an answer"));
    }
    const key = `${inquiry.method.replace(/\/.*/, "")}_${++this.#askedCount}`;
    return new Promise((resolve, reject) => {
      this.#open.set(key, { inquiry, resolve, reject });
      signal.addEventListener(
        "abort",
        () => {
          if (this.#open.delete(key)) reject(new Error("the call was cancelled"));
        },
        { once: true },
      );
      this.#gatherTimer ??= setTimeout(() => {
        this.#gatherTimer = undefined;
        this.#settleRound();
      }, GATHER_MS);
    });
  }

  #settleRound(): void {
    if (!this.#waiter) return;
    if (this.#failure !== undefined) this.#waiter.fail(this.#failure);
    else if (this.#outcome) this.#waiter.settle({ kind: "ended", outcome: this.#outcome });
    else if (this.#open.size > 0) this.#waiter.settle({ kind: "asks", inquiries: this.inquiries });
  }
}

/** The calls in this process that wait for their clients. */
export class HeldCalls {
  readonly holdMs: number;
  readonly newId: NewId;
  readonly #held = new Map<string, HeldCall>();

  constructor(newId: NewId, holdMs: number) {
    this.newId = newId;
    this.holdMs = holdMs;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Creates a call, which is kept here from its first inquiry on. */
  begin(binding: StateBinding, capabilities: Params): HeldCall {
    return new HeldCall(binding, capabilities, this);
  }

  get(id: string): HeldCall | undefined {
    return this.#held.get(id);
  }

  /** Returns false if too many are kept already. */
  keep(call: HeldCall): boolean {
    if (this.#held.has(call.id)) return true;
    const sameToken = [...this.#held.values()].filter(
      ({ binding }) => binding.tokenId === call.binding.tokenId,
    );
    if (this.#held.size >= MAX_HELD || sameToken.length >= MAX_HELD_PER_TOKEN) return false;
    this.#held.set(call.id, call);
    return true;
  }

  forget(call: HeldCall): void {
    this.#held.delete(call.id);
  }

  close(): void {
    for (const call of this.#held.values()) call.close();
  }
}
