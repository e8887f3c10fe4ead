import type * as contract from "../contract.ts";
import { anyObject, anyOfTexts, listOf, orNull, ref, shape, text, time } from "./shape.ts";

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
    },
    "Something an agent asks of a person, approvals included.",
  ),
  QuestionList: shape<contract.QuestionList>({ questions: listOf(ref("QuestionView")) }),
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
      }),
    ),
  }),
};
