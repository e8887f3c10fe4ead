/** The shapes of what people are shown before they approve a call. */

import { z } from "zod";
import { anyObject, type Infer, time, typed } from "../../../contract/shape.ts";
import type { Finding } from "../../../contract/tool-shapes.ts";
import { questionView } from "../../questions/contract.ts";
import { type RuleInput, ruleView } from "../contract.ts";

const texts = z.array(z.string());

const changedLine = z.object({ kind: z.enum(["same", "removed", "added"]), text: z.string() });
const lastCall = z.object({
  id: z.string(),
  at: time,
  outcome: z.string().nullable(),
  approvedBy: z.string().nullable(),
  /** Its arguments were cut in the audit and cannot be compared. */
  cut: z.boolean(),
  /** From its arguments to those of this call, line by line. */
  changes: z.array(changedLine),
});

/** A call that waits for approval, with what is known of such calls. */
const reviewedCall = z.object({
  tool: z.string(),
  /** What the tool says of itself; null: it is gone. */
  description: z.string().nullable(),
  capabilities: texts,
  destructive: z.boolean(),
  arguments: z.string().describe("JSON, without secrets."),
  /** The rule that asks, in words. */
  rule: z.string(),
  /** That rule as it is now; null: it is gone. */
  askedBy: ruleView.nullable(),
  /** What people should look at in what the tool says of itself. */
  findings: typed<readonly Finding[]>(z.array(anyObject)),
  /** The last call of this tool by this agent that ran; null: there is none. */
  last: lastCall.nullable(),
  /** Empty: a rule would not help. */
  rules: typed<readonly RuleInput[]>(z.array(anyObject)).describe(
    "What `always` would write; the first is the widest.",
  ),
});
export const questionReview = z
  .object({
    question: questionView,
    /** For an approval: the call, or those of its batch. */
    calls: z.array(reviewedCall),
  })
  .meta({ id: "QuestionReview" });

export type ChangedLine = Infer<typeof changedLine>;
export type LastCall = Infer<typeof lastCall>;
export type ReviewedCall = Infer<typeof reviewedCall>;
export type QuestionReview = Infer<typeof questionReview>;
