import type { MovedQuestion } from "../store/sharing.ts";
import type { QuestionRecord } from "../store/store.ts";

export interface Asking {
  readonly kind: QuestionRecord["kind"];
  readonly agentId: string;
  readonly agentName: string;
  /** Equal open questions are shared by this digest: agent, tool and arguments, see `questionDigest`. */
  readonly digest: string;
  readonly prompt: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** `pending`: nobody answered within the wait; asking the same again later picks the answer up. */
export type Answer =
  | { readonly kind: "answered"; readonly id: string; readonly answer: string }
  | { readonly kind: "dismissed"; readonly id: string }
  | { readonly kind: "pending"; readonly id: string; readonly expiresAt: number }
  | { readonly kind: "too_many"; readonly limit: number };

/** What agents ask of people. Kept in the store, so that an answer survives a restart of either side. */
export interface Questions {
  /**
   * Stores the question (or joins the equal open one), waits up to `waitMs` for the answer and uses it up: each
   * answer is given to exactly one call. Zero does not wait. Rejects only when `signal` aborts.
   */
  ask(question: Asking, options: { waitMs: number; signal?: AbortSignal }): Promise<Answer>;
  /** Newest last; `pending` leaves out what has expired. */
  list(filter?: { state?: QuestionRecord["state"] }): Promise<QuestionRecord[]>;
  /** The newest question of this digest that a person answered or dismissed at `since` or later. */
  settled(asked: Pick<Asking, "agentId" | "digest">, since: number): Promise<QuestionRecord | undefined>;
  /** Throws NOT_FOUND, or BAD_REQUEST for an answer the question does not take or when it is no longer pending. */
  answer(id: string, answer: string): Promise<QuestionRecord>;
  /** The caller is told that nobody will answer. */
  dismiss(id: string): Promise<QuestionRecord>;
  /** Another process moved a question on: whoever waits for it looks again, whoever listens is told. */
  heardOf(moved: MovedQuestion): Promise<void>;
  close(): void;
}
