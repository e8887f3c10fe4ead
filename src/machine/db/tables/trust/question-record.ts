import type { NewestBefore } from "../../query/newest-before.ts";
import type { QuestionState } from "../../sharing.ts";

/** Who settled a question, and how. */
export interface Settlement {
  /** A person, a token or an agent, by a name that people know. */
  readonly by: string;
  readonly from: "cli" | "api" | "dashboard" | "webhook" | "client" | "agent" | "library";
  /** Of a rejection: what the caller is told. */
  readonly reason?: string;
  /** The rules that the answer wrote. */
  readonly ruleIds?: readonly string[];
}

export interface QuestionRecord {
  readonly id: string;
  readonly kind: (typeof QUESTION_KINDS)[number];
  readonly agentId: string;
  /** Equal calls share one pending question: digest of agent, tool and arguments. */
  readonly digest: string;
  readonly prompt: string;
  /** Kind-specific: choices, secret name, tool and arguments of an approval, rule. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly state: QuestionState;
  readonly answer: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly answeredAt: number | null;
  /** Null until it is settled. */
  readonly settlement: Settlement | null;
  /** Of one call of a batch: the question that people are shown and answer in its place. */
  readonly batchId: string | null;
}

export const QUESTION_KINDS = ["approval", "access", "secret", "human", "parent"] as const;

/**
 * The states that people see, of every kind of question. A record keeps less and more: a pending one expires by the clock
 * alone, and a dismissed one becomes `used`, without an answer, once the agent has been told.
 */
export const VISIBLE_STATES = ["pending", "answered", "used", "dismissed", "expired"] as const;
export type VisibleState = (typeof VISIBLE_STATES)[number];

/** The state of a question at this time. `questionStore` selects by the same definition. */
export function visibleState(
  { state, answer, expiresAt }: Pick<QuestionRecord, "state" | "answer" | "expiresAt">,
  now: number,
): VisibleState {
  if (state === "pending") return expiresAt > now ? "pending" : "expired";
  return state === "used" && answer === null ? "dismissed" : state;
}

export interface QuestionFilter extends NewestBefore {
  /** As the record has it. */
  readonly state?: QuestionRecord["state"] | undefined;
  /** As people see it at this time; `settled`: nobody can answer it any more. */
  readonly visible?: { readonly state: VisibleState | "settled"; readonly now: number } | undefined;
  readonly kind?: QuestionRecord["kind"] | undefined;
  readonly agentId?: string | undefined;
}

export interface QuestionStore {
  /** Newest last; at most 500. Without those that belong to a batch. */
  list(filter?: QuestionFilter): Promise<QuestionRecord[]>;
  get(id: string): Promise<QuestionRecord | undefined>;
  /** The pending or answered (not used, dismissed or expired) question with this digest. */
  open(digest: string, now: number): Promise<QuestionRecord | undefined>;
  /** How many such questions there are of each of these digests. */
  countOpen(digests: readonly string[], now: number): Promise<ReadonlyMap<string, number>>;
  /** The newest of this digest that was rejected or dismissed at `since` or later. */
  refused(digest: string, since: number): Promise<QuestionRecord | undefined>;
  /** Resolves with the question, or with the open one of its digest where another process was faster. */
  create(question: QuestionRecord): Promise<QuestionRecord>;
  /** One that people see, and those of its batch. */
  createBatch(shown: QuestionRecord, members: readonly QuestionRecord[]): Promise<void>;
  /**
   * Moves a question on, only from the state `from`; false when it was not in it (somebody was faster). Those of its
   * batch that are in the same state move with it.
   */
  move(
    id: string,
    from: QuestionRecord["state"],
    change: Partial<Pick<QuestionRecord, "state" | "answer" | "answeredAt" | "settlement">>,
  ): Promise<boolean>;
}
