/** The shapes of tasks that sub-agents are given, and of what they report. */

import { z } from "zod";
import { type Infer, optional, time } from "../../contract/shape.ts";

const name = z.string().min(1).max(200);

export const taskStatus = z.enum(["open", "in_progress", "blocked", "done", "failed", "cancelled"]);
export type TaskStatus = z.infer<typeof taskStatus>;

/** A task in one of these is over. */
export const FINISHED: readonly TaskStatus[] = ["done", "failed", "cancelled"];

/** The work that a sub-agent was asked to do. */
export const task = z.object({
  id: z.string(),
  agentId: z.string(),
  title: z.string(),
  instructions: z.string(),
  status: taskStatus,
  note: z.string(),
  /** The agent that gave it; null: a person did. */
  assignedBy: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
});

/** A report from a sub-agent to its parent. */
export const message = z.object({
  id: z.string(),
  fromAgentId: z.string(),
  toAgentId: z.string(),
  text: z.string(),
  createdAt: time,
  readAt: time.nullable(),
});

export type TaskRecord = Infer<typeof task>;
export type MessageRecord = Infer<typeof message>;

export const newTask = z.object({
  agent: name,
  title: z.string().min(1).max(2_000),
  ...optional({ instructions: z.string().max(20_000) }),
});
export const cancellation = z.object(optional({ reason: z.string().max(2_000) }));
export const readMessages = z.object({ ids: z.array(name).max(500) });
export type NewTask = Infer<typeof newTask>;
export type TaskInput = Omit<NewTask, "agent">;

// Answers: explicit picks, so that nothing of a record slips out.

export const taskView = task
  .pick({
    id: true,
    title: true,
    instructions: true,
    status: true,
    note: true,
    createdAt: true,
    updatedAt: true,
  })
  .extend({ agent: z.string(), assignedBy: z.string().nullable().describe("Null: a person gave it.") })
  .meta({ id: "TaskView" });
export const taskList = z.object({ tasks: z.array(taskView) }).meta({ id: "TaskList" });
export const taskAnswer = z.object({ task: taskView }).meta({ id: "TaskAnswer" });

export const messageView = message
  .pick({ id: true, text: true, createdAt: true, readAt: true })
  .extend({ from: z.string(), to: z.string() });
export const messageList = z.object({ messages: z.array(messageView) }).meta({ id: "MessageList" });

export type TaskView = Infer<typeof taskView>;
export type TaskList = Infer<typeof taskList>;
export type TaskAnswer = Infer<typeof taskAnswer>;
export type MessageView = Infer<typeof messageView>;
export type MessageList = Infer<typeof messageList>;
