/** The shapes of calls that people make. How a call ends is `toolOutcome` of `contract/tool-shapes.ts`. */

import { z } from "zod";
import { type Infer, optional, text } from "../../contract/shape.ts";
import type { Progress, ToolOutcome } from "../../contract/tool.ts";

export const callRequest = z.object({
  name: text(200),
  ...optional({
    arguments: z.unknown(),
    agent: text(200).describe("Absent: the operator calls."),
    conversation: text(200).describe("Ties calls together; a fresh one each time when absent."),
  }),
});
export type CallRequest = Infer<typeof callRequest>;

/** A line of `POST /api/call/stream`: progress as it comes, and at last the outcome. */
export type CallLine = { readonly progress: Progress } | { readonly outcome: ToolOutcome };
