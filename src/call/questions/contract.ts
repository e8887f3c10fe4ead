/** The shapes of what agents ask of people and tell them: questions, approvals among them, and notifications. */

import { z } from "zod";
import { ROLES } from "../../contract/caller.ts";
import { newestQuery } from "../../contract/define-route.ts";
import { anyObject, type Infer, optional, text, time, typed } from "../../contract/shape.ts";
import type { RulePattern } from "../../machine/config/settings.ts";
import { QUESTION_STATES } from "../../machine/db/sharing.ts";

export const QUESTION_KINDS = ["approval", "access", "secret", "human", "parent"] as const;
/**
 * The states that people see, for every kind of question. Records differ: a pending one expires by the clock alone, and
 * a dismissed one becomes `used`, without an answer, once the agent has been told.
 */
export const VISIBLE_STATES = ["pending", "answered", "used", "dismissed", "expired"] as const;
export type VisibleState = (typeof VISIBLE_STATES)[number];

const settlement = z
  .object({
    /** A person, a token or an agent, by a name that people know. */
    by: z.string(),
    from: z.enum(["cli", "api", "dashboard", "webhook", "client", "agent", "library"]),
    ...optional({
      /** For a rejection: what the caller is told. */
      reason: z.string(),
      /** The rules that the answer wrote. */
      ruleIds: z.array(z.string()),
    }),
  })
  .describe("Who settled it, and from where.");
/** Who settled a question, and how. */
export type Settlement = Infer<typeof settlement>;

/**
 * Something asked of a person, or of a parent agent. A `secret` answer goes to the vault and `answer` then holds only
 * the name of the secret; an `approval` is answered `once`, `conversation`, `always` or `reject`, an `access` `grant` or
 * `refuse`.
 */
export const question = z.object({
  id: z.string(),
  kind: z.enum(QUESTION_KINDS),
  agentId: z.string(),
  /** Equal calls share one pending question: digest of agent, tool and arguments. */
  digest: z.string(),
  prompt: z.string(),
  /** Depends on the kind: choices, name of the secret, tool, arguments and rule of an approval. */
  details: anyObject,
  state: z.enum(QUESTION_STATES),
  answer: z.string().nullable(),
  createdAt: time,
  expiresAt: time,
  answeredAt: time.nullable(),
  /** Null until it is settled. */
  settlement: settlement.nullable(),
  /** For one call of a batch: the question that people see and answer instead. */
  batchId: z.string().nullable(),
});
export type QuestionRecord = Infer<typeof question>;

export const notification = z.object({
  id: z.string(),
  agentId: z.string().nullable(),
  level: z.enum(["info", "warning", "error"]),
  title: z.string(),
  body: z.string(),
  createdAt: time,
  dismissedAt: time.nullable(),
});
export type NotificationRecord = Infer<typeof notification>;

// Requests

/** Checked closer when the rule is written. */
const pattern = typed<RulePattern>(
  z.unknown().meta({ type: ["string", "object"], minLength: 1, maxLength: 500, maxProperties: 20 }),
);
const reason = z.string().max(1_000);

export const questionQuery = z.object({
  ...optional({
    kind: z.enum(QUESTION_KINDS),
    /** `settled`: nobody can answer it any more. */
    state: z.enum([...VISIBLE_STATES, "settled"]),
    agent: text(200),
  }),
  ...newestQuery,
});
export const answerInput = z.object({
  /** An approval accepts those of its `details.answers`. */
  answer: z.string().max(100_000),
  ...optional({
    /** With `reject`: what the agent is told. */
    reason,
    /** With `always`: the rule is only about calls that match. */
    pattern,
  }),
});
export const notificationQuery = z.object({
  ...optional({ dismissed: z.boolean(), state: z.enum(["open", "dismissed"]) }),
  ...newestQuery,
});
export const approvalQuery = z.object(optional({ all: z.boolean() }));
/** `for` is `once` if it is left out. The others write a rule that allows the tool. */
export const approvalYes = z
  .object(optional({ for: z.enum(["once", "conversation", "always"]), pattern }))
  .nullable();
export const approvalNo = z.object(optional({ reason })).nullable();

export type AnswerInput = Infer<typeof answerInput>;
/** Deprecated: see `AnswerInput`. */
export type ApprovalYes = NonNullable<Infer<typeof approvalYes>>;

// Answers: explicit picks, so that nothing of a record slips out.

export const questionView = question
  .pick({
    id: true,
    kind: true,
    prompt: true,
    details: true,
    answer: true,
    createdAt: true,
    expiresAt: true,
    answeredAt: true,
    settlement: true,
  })
  .extend({
    state: z.enum(VISIBLE_STATES),
    /** Its name. */
    agent: z.string(),
    wants: z.enum(ROLES).describe("The role of whoever may say yes."),
  })
  .meta({ id: "QuestionView", description: "Something an agent asks of a person, approvals included." });
/** The `cursor` of the next page, with what is older; null: there is nothing older. */
const next = z.string().nullable();
export const questionList = z.object({ questions: z.array(questionView), next }).meta({ id: "QuestionList" });
export const questionAnswer = z.object({ question: questionView }).meta({ id: "QuestionAnswer" });
export const approvalList = z.object({ approvals: z.array(questionView) }).meta({ id: "ApprovalList" });
export const approvalAnswer = z.object({ approval: questionView }).meta({ id: "ApprovalAnswer" });

export const notificationView = notification
  .pick({ id: true, level: true, title: true, body: true, createdAt: true, dismissedAt: true })
  .extend({
    /** Its name. */
    agent: z.string().nullable(),
    /** It stays until somebody decides what it is about, and cannot be dismissed. */
    undecided: z.boolean(),
  });
export const notificationList = z
  .object({ notifications: z.array(notificationView), next })
  .meta({ id: "NotificationList" });

export type QuestionView = Infer<typeof questionView>;
export type QuestionList = Infer<typeof questionList>;
export type QuestionAnswer = Infer<typeof questionAnswer>;
export type ApprovalList = Infer<typeof approvalList>;
export type ApprovalAnswer = Infer<typeof approvalAnswer>;
export type NotificationView = Infer<typeof notificationView>;
export type NotificationList = Infer<typeof notificationList>;
