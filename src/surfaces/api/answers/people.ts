import { QUESTION_KINDS, VISIBLE_STATES } from "../../../machine/db/tables/trust/question-record.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const settlement = s.shape<NonNullable<contract.QuestionView["settlement"]>>(
  {
    by: s.text,
    from: s.anyOfTexts(["cli", "api", "dashboard", "webhook", "client", "agent", "library"]),
    reason: s.optional(s.text),
    ruleIds: s.optional(s.listOf(s.text)),
  },
  "Who settled it, and from where.",
);

/** Work, questions and notifications. */
export const peopleAnswers = {
  QuestionView: s.shape<contract.QuestionView>(
    {
      id: s.text,
      kind: s.anyOfTexts(QUESTION_KINDS),
      agent: s.text,
      prompt: s.text,
      details: s.anyObject,
      state: s.anyOfTexts(VISIBLE_STATES),
      answer: s.orNull(s.text),
      createdAt: s.time,
      expiresAt: s.time,
      answeredAt: s.orNull(s.time),
      settlement: s.oneOf(settlement, { type: "null", description: "It is not settled." }),
      wants: {
        ...s.anyOfTexts(["viewer", "operator", "admin"]),
        description: "The role of whoever may say yes.",
      },
    },
    "Something an agent asks of a person, approvals included.",
  ),
  QuestionList: s.shape<contract.QuestionList>({
    questions: s.listOf(s.ref("QuestionView")),
    next: s.orNull(s.text),
  }),
  ApprovalList: s.shape<contract.ApprovalList>({ approvals: s.listOf(s.ref("QuestionView")) }),
  ApprovalAnswer: s.shape<contract.ApprovalAnswer>({ approval: s.ref("QuestionView") }),
  QuestionReview: s.shape<contract.QuestionReview>({
    question: s.ref("QuestionView"),
    calls: s.listOf(
      s.shape<contract.ReviewedCall>({
        tool: s.text,
        description: s.orNull(s.text),
        capabilities: s.listOf(s.text),
        destructive: s.yesNo,
        arguments: { type: "string", description: "JSON, without secrets." },
        rule: s.text,
        askedBy: s.orNull(s.ref("RuleView")),
        findings: s.listOf(s.anyObject),
        last: s.orNull(
          s.shape<contract.LastCall>({
            id: s.text,
            at: s.time,
            outcome: s.orNull(s.text),
            approvedBy: s.orNull(s.text),
            cut: s.yesNo,
            changes: s.listOf(
              s.shape<contract.ChangedLine>({
                kind: s.anyOfTexts(["same", "removed", "added"]),
                text: s.text,
              }),
            ),
          }),
        ),
        rules: {
          ...s.listOf(s.anyObject),
          description: "What `always` would write; the first is the widest.",
        },
      }),
    ),
  }),
  QuestionAnswer: s.shape<contract.QuestionAnswer>({ question: s.ref("QuestionView") }),

  NotificationList: s.shape<contract.NotificationList>({
    notifications: s.listOf(
      s.shape<contract.NotificationView>({
        id: s.text,
        agent: s.orNull(s.text),
        level: s.anyOfTexts(["info", "warning", "error"]),
        title: s.text,
        body: s.text,
        createdAt: s.time,
        dismissedAt: s.orNull(s.time),
        undecided: s.yesNo,
      }),
    ),
    next: s.orNull(s.text),
  }),
};
