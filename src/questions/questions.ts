import type { Role } from "../contract/caller.ts";
import type { RulePattern } from "../machine/config/settings.ts";
import type { MovedQuestion } from "../machine/db/sharing.ts";
import type { QuestionRecord, Settlement } from "../machine/db/store.ts";
import type { QuestionFilter } from "../machine/db/tables/trust/question-record.ts";

export interface ListedQuestions extends Pick<QuestionFilter, "state" | "before" | "limit"> {
  /** Only those that nobody can answer any more. */
  readonly settled?: boolean;
}

export interface Asking {
  readonly kind: QuestionRecord["kind"];
  readonly agentId: string;
  readonly agentName: string;
  /** Equal open questions are shared by this digest: agent, tool and arguments, see `questionDigest`. */
  readonly digest: string;
  readonly prompt: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether an answer of this question still counts for this call; absent: it does. */
  readonly isGood?: (question: QuestionRecord) => Promise<boolean>;
}

/**
 * `pending`: nobody answered within the wait; asking the same again later picks the answer up. `headless`: nobody is asked
 * for this agent. Of an approval `rejected` is told again for a while, without asking anew.
 */
export type Answer =
  | {
      readonly kind: "answered";
      readonly id: string;
      readonly answer: string;
      readonly by?: string;
      /** For `giveBack`: of a batch, the one that was used up. */
      readonly used: string;
    }
  | { readonly kind: "rejected"; readonly id: string; readonly reason?: string }
  | { readonly kind: "dismissed"; readonly id: string }
  | { readonly kind: "pending"; readonly id: string; readonly expiresAt: number }
  | { readonly kind: "headless" }
  | { readonly kind: "too_many"; readonly limit: number }
  /** It cannot be shown whole, and nobody agrees to what they do not see. */
  | { readonly kind: "too_long"; readonly limit: number };

/** Who answers, from where, and what they may. */
export interface Answerer extends Pick<Settlement, "by" | "from"> {
  readonly role: Role;
}

/** What comes with an answer. */
export interface AnswerMore {
  /** Of a rejection, for the caller. */
  readonly reason?: string;
  /** Of `always`: narrows the rule to calls whose arguments fit. */
  readonly pattern?: RulePattern;
}

/** What agents ask of people. Kept in the store, so that an answer survives a restart of either side. */
export interface Questions {
  /**
   * Stores the question (or joins the equal open one), waits up to `waitMs` for the answer and uses it up: each
   * answer is given to exactly one call. Zero does not wait. Rejects only when `signal` aborts.
   */
  ask(question: Asking, options: { waitMs: number; signal?: AbortSignal }): Promise<Answer>;
  /**
   * Stores approvals of one agent that are wanted together so that people are shown one question for them; each is then
   * asked for and used up by itself. Leaves out those that are asked or answered already.
   */
  askTogether(askings: readonly Asking[]): Promise<void>;
  /** The call that used this answer up was certainly never made: an equal one may use it, while it has not expired. */
  giveBack(used: string): Promise<void>;
  /** Newest last; `pending` leaves out what has expired. */
  list(filter?: ListedQuestions): Promise<QuestionRecord[]>;
  get(id: string): Promise<QuestionRecord | undefined>;
  /** The newest question of this digest that a person answered or dismissed at `since` or later. */
  settled(asked: Pick<Asking, "agentId" | "digest">, since: number): Promise<QuestionRecord | undefined>;
  /**
   * Throws NOT_FOUND, BAD_REQUEST for an answer the question does not take or when it is no longer pending, FORBIDDEN for one
   * that whoever answers has not the role for.
   */
  answer(id: string, answer: string, who?: Answerer, more?: AnswerMore): Promise<QuestionRecord>;
  /** The caller is told that nobody will answer. */
  dismiss(id: string, who?: Answerer): Promise<QuestionRecord>;
  /** Calls `listener` with every question that this process stored; returns the function that stops it. */
  onAsked(listener: (question: QuestionRecord) => void): () => void;
  /** Another process moved a question on: whoever waits for it looks again, whoever listens is told. */
  heardOf(moved: MovedQuestion): Promise<void>;
  /** Ends every wait at once; from then on nobody waits. */
  close(): void;
}
