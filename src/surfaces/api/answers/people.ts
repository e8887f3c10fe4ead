import type * as contract from "../contract.ts";
import {
  anyObject,
  anyOfTexts,
  listOf,
  oneOf,
  optional,
  orNull,
  ref,
  shape,
  text,
  time,
  yesNo,
} from "./shape.ts";

const settlement = shape<NonNullable<contract.QuestionView["settlement"]>>(
  {
    by: text,
    from: anyOfTexts(["cli", "api", "dashboard", "webhook", "client", "agent", "library"]),
    reason: optional(text),
    ruleIds: optional(listOf(text)),
  },
  "Who settled it, and from where.",
);

/** Work, questions and notifications. */
export const peopleAnswers = {
  TaskView: shape<contract.TaskView>({
    id: text,
    agent: text,
    title: text,
    instructions: text,
    status: anyOfTexts(["open", "in_progress", "blocked", "done", "failed", "cancelled"]),
    note: text,
    assignedBy: { ...orNull(text), description: "The agent that gave it; null: a person did." },
    createdAt: time,
    updatedAt: time,
  }),
  TaskList: shape<contract.TaskList>({ tasks: listOf(ref("TaskView")) }),
  TaskAnswer: shape<contract.TaskAnswer>({ task: ref("TaskView") }),

  QuestionView: shape<contract.QuestionView>(
    {
      id: text,
      kind: anyOfTexts(["human", "secret", "parent", "approval", "access"]),
      agent: text,
      prompt: text,
      details: anyObject,
      state: anyOfTexts(["pending", "answered", "dismissed", "used"]),
      answer: orNull(text),
      createdAt: time,
      expiresAt: time,
      answeredAt: orNull(time),
      settlement: oneOf(settlement, { type: "null", description: "It is not settled." }),
      wants: {
        ...anyOfTexts(["viewer", "operator", "admin"]),
        description: "The role of whoever may say yes.",
      },
    },
    "Something an agent asks of a person, approvals included.",
  ),
  QuestionList: shape<contract.QuestionList>({ questions: listOf(ref("QuestionView")), next: orNull(text) }),
  ApprovalList: shape<contract.ApprovalList>({ approvals: listOf(ref("QuestionView")) }),
  ApprovalAnswer: shape<contract.ApprovalAnswer>({ approval: ref("QuestionView") }),
  QuestionReview: shape<contract.QuestionReview>({
    question: ref("QuestionView"),
    calls: listOf(
      shape<contract.ReviewedCall>({
        tool: text,
        description: orNull(text),
        capabilities: listOf(text),
        destructive: yesNo,
        arguments: { type: "string", description: "JSON, without secrets." },
        rule: text,
        askedBy: orNull(ref("RuleView")),
        findings: listOf(anyObject),
        last: orNull(
          shape<contract.LastCall>({
            id: text,
            at: time,
            outcome: orNull(text),
            approvedBy: orNull(text),
            cut: yesNo,
            changes: listOf(
              shape<contract.ChangedLine>({ kind: anyOfTexts(["same", "removed", "added"]), text }),
            ),
          }),
        ),
        rules: { ...listOf(anyObject), description: "What `always` would write; the first is the widest." },
      }),
    ),
  }),
  QuestionAnswer: shape<contract.QuestionAnswer>({ question: ref("QuestionView") }),

  NotificationList: shape<contract.NotificationList>({
    notifications: listOf(
      shape<contract.NotificationView>({
        id: text,
        agent: orNull(text),
        level: anyOfTexts(["info", "warning", "error"]),
        title: text,
        body: text,
        createdAt: time,
        dismissedAt: orNull(time),
        undecided: yesNo,
      }),
    ),
    next: orNull(text),
  }),
};
