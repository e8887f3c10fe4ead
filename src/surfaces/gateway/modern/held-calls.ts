import type { Answering, Asked, Inquiry, ToolOutcome } from "../../../contract/tool.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import type { NewId } from "../../../lib/id.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Params } from "../messages.ts";
import type { StateBinding } from "./request-state.ts";

/** What a server asks at once comes together. */
const GATHER_MS = 20;
const MAX_HELD = 1_000;
const MAX_HELD_PER_TOKEN = 50;
/** More than this one call does not ask at once. */
const MAX_OPEN = 32;

/** How far a call has come when its client is answered: to its end, or to questions. */
export type Round =
  | { readonly kind: "ended"; readonly outcome: ToolOutcome }
  | { readonly kind: "asks"; readonly inquiries: Asked["inquiries"] };

interface Open {
  readonly inquiry: Inquiry;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: Error) => void;
}

/** Where a call's progress goes: to the request that waits for it now. */
export type Notify = (method: string, params: Params) => void;

/**
 * A call of a client of 2026-07-28 to a server that asks while it works, which no later version of the protocol
 * can express: the call is held here while its client answers, and goes on when the client calls again.
 */
export class HeldCall {
  readonly bound: StateBinding;
  readonly answering: Answering;
  readonly #calls: HeldCalls;
  #id: string | undefined;
  readonly signal = new LightSignal();
  readonly #open = new Map<string, Open>();
  #asked = 0;
  #gathering: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #outcome: ToolOutcome | undefined;
  #failure: unknown;
  #notify: Notify = () => {};
  /** The request that waits for this call. */
  #waiting: { settle: (round: Round) => void; fail: (error: unknown) => void } | undefined;

  constructor(bound: StateBinding, capabilities: Params, calls: HeldCalls) {
    this.bound = bound;
    this.#calls = calls;
    this.answering = {
      capabilities,
      isExclusive: true,
      answer: (inquiry, signal) => this.#ask(inquiry, signal),
    };
  }

  /** Made when it is first needed: few calls ask. */
  get id(): string {
    this.#id ??= this.#calls.newId("held");
    return this.#id;
  }

  get isWaitedFor(): boolean {
    return this.#waiting !== undefined;
  }

  readonly notify: Notify = (method, params) => this.#notify(method, params);

  /** Follows the call to its end. */
  run(outcome: Promise<ToolOutcome>): void {
    outcome.then(
      (ended) => {
        this.#outcome = ended;
        this.#tell();
      },
      (error: unknown) => {
        this.#failure = error;
        this.#tell();
      },
    );
  }

  /** How far the call comes next. When `client` aborts first, its client is gone, and the call is stopped. */
  async next(notify: Notify, client: AbortSignal): Promise<Round> {
    clearTimeout(this.#expiry);
    this.#notify = notify;
    const abort = () => this.signal.abort("the client is gone");
    if (client.aborted) abort();
    else client.addEventListener("abort", abort);
    try {
      return await new Promise<Round>((settle, fail) => {
        this.#waiting = { settle, fail };
        if (this.#isSettled) this.#tell();
      });
    } finally {
      client.removeEventListener("abort", abort);
      this.#notify = () => {};
      this.#waiting = undefined;
      if (this.#isSettled) this.#forget();
      else this.#expiry = setTimeout(() => this.close(), this.#calls.holdMs).unref();
    }
  }

  /** Takes the client's answers to what is open. False where some are missing or none at all: it is asked again. */
  take(answers: unknown): boolean {
    for (const [key, open] of this.#open) {
      const answer = isRecord(answers) && Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isRecord(answer)) continue;
      this.#open.delete(key);
      open.resolve(answer);
    }
    return this.#open.size === 0;
  }

  /** What the client has not answered yet. */
  get inquiries(): Asked["inquiries"] {
    return Object.fromEntries([...this.#open].map(([key, { inquiry }]) => [key, inquiry]));
  }

  /** Stops the call: nobody came back for it, or Toolkeep stops. */
  close(): void {
    clearTimeout(this.#gathering);
    clearTimeout(this.#expiry);
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
    if (this.signal.aborted || signal.aborted) return Promise.reject(new Error("it is no longer wanted"));
    if (this.#open.size >= MAX_OPEN || !this.#calls.keep(this)) {
      return Promise.reject(new Error("too many questions wait for an answer"));
    }
    const key = `${inquiry.method.replace(/\/.*/, "")}_${++this.#asked}`;
    return new Promise((resolve, reject) => {
      this.#open.set(key, { inquiry, resolve, reject });
      signal.addEventListener(
        "abort",
        () => {
          if (this.#open.delete(key)) reject(new Error("it is no longer wanted"));
        },
        { once: true },
      );
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined;
        this.#tell();
      }, GATHER_MS);
    });
  }

  #tell(): void {
    if (!this.#waiting) return;
    if (this.#failure !== undefined) this.#waiting.fail(this.#failure);
    else if (this.#outcome) this.#waiting.settle({ kind: "ended", outcome: this.#outcome });
    else if (this.#open.size > 0) this.#waiting.settle({ kind: "asks", inquiries: this.inquiries });
  }
}

/** The calls that wait for their clients to come back, in this process. */
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

  /** A call that is kept here from its first question on. */
  begin(bound: StateBinding, capabilities: Params): HeldCall {
    return new HeldCall(bound, capabilities, this);
  }

  get(id: string): HeldCall | undefined {
    return this.#held.get(id);
  }

  /** False where too many are kept already. */
  keep(call: HeldCall): boolean {
    if (this.#held.has(call.id)) return true;
    const ofToken = [...this.#held.values()].filter(({ bound }) => bound.tokenId === call.bound.tokenId);
    if (this.#held.size >= MAX_HELD || ofToken.length >= MAX_HELD_PER_TOKEN) return false;
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
