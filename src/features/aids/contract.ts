/** The shapes of to-do lists. */

import { z } from "zod";
import { type Infer, text, time } from "../../contract/shape.ts";

export const todoItem = z.object({ text: text(500), status: z.enum(["pending", "in_progress", "done"]) });

/** Each agent has one list in each conversation. */
export const todoList = z.object({
  agentId: z.string(),
  conversation: z.string(),
  items: z.array(todoItem),
  updatedAt: time,
});

export type TodoItem = Infer<typeof todoItem>;
