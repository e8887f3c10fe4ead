import type { ToolCall } from "../../contract/tool.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import type { AskedCall } from "../rules/approvals/approval-binding.ts";
import type { Approval, Approvals } from "../rules/approvals/approvals.ts";
import type { Decision } from "../rules/rules.ts";
import { type Ending, refusal } from "./outcome.ts";

/** What was said of a call that may need a person: that it ends here, or goes on. */
export type Decided =
  | { readonly refused: Ending }
  /** `now`: the tool and its caller after a person had their say. */
  | {
      readonly approvedBy?: Decision;
      readonly now?: Pick<AskedCall, "tool" | "caller">;
      /** Where a yes for one call was used up: leaves it for an equal one. Only where this call certainly never left. */
      readonly giveBack?: () => Promise<void>;
    };

export interface AskingDeps {
  readonly record: Pick<AuditRecord, "asked">;
  readonly approvals: Pick<Approvals, "of" | "continues" | "giveBack" | "giveRoundBack">;
  /** What is to be said of the call once a person has said yes: they may have taken their time. */
  readonly again: () => Decided;
}

export const NEVER_BEGAN = {
  message: "the call was cancelled by its caller before it began; nothing was done",
};

/** Only a call that a rule asks about comes here. */
export async function askPerson(asked: AskedCall, call: ToolCall, deps: AskingDeps): Promise<Decided> {
  const { decision } = asked;
  // The task is there because its call was approved.
  if (call.kind === "task") return { approvedBy: decision };
  const { rounds } = call;
  // A person has seen the whole call already: what the tool asked in between does not change it.
  const isApproved =
    rounds?.approved !== undefined && (await deps.approvals.continues(rounds.approved, asked));
  if (isApproved)
    return { approvedBy: decision, giveBack: () => deps.approvals.giveRoundBack(rounds!.approved!) };
  try {
    const approval = await deps.approvals.of(asked, call);
    if ("id" in approval) deps.record.asked(approval.id, approval.kind === "approved" ? approval.by : null);
    if (approval.kind === "approved") return withGiveBack(deps.again(), approval.used, deps);
    return { refused: notApproved(asked, approval) };
  } catch (error) {
    if (!call.stop?.aborted && !call.signal?.aborted) throw error;
    return { refused: refusal("cancelled", NEVER_BEGAN) };
  }
}

function withGiveBack(again: Decided, used: string | undefined, { approvals }: AskingDeps): Decided {
  if (used === undefined || "refused" in again) return again;
  return { ...again, giveBack: () => approvals.giveBack(used) };
}

function notApproved(
  { tool, decision }: AskedCall,
  approval: Exclude<Approval, { kind: "approved" }>,
): Ending {
  const { name } = tool;
  switch (approval.kind) {
    case "rejected":
      return refusal("denied", {
        message: `a person rejected this call of ${name}${approval.reason ? `: ${approval.reason}` : ""}`,
        remedy: "Do not repeat it; do something else.",
        ...(approval.reason && { details: { reason: approval.reason } }),
      });
    case "headless":
      return refusal("denied", {
        message: `a person would have to approve this call of ${name} (${decision.rule}), and nobody is asked for this agent (headless)`,
        remedy: "Do something else; only a person can allow it by a rule.",
      });
    case "too_long":
      return refusal("denied", {
        message: `a person would have to approve this call of ${name} (${decision.rule}), and it is too long to be shown to them whole (${approval.limit} characters)`,
        remedy: "Make it in several smaller calls.",
      });
    case "too_many":
      return refusal("denied", {
        message: `${approval.limit} calls of this agent wait for a person already`,
        remedy: "Wait until a person has answered some of them.",
      });
    case "void":
      return refusal("denied", { message: VOID[approval.why], remedy: "Make the call again without it." });
    case "asks":
      return { ...waiting(name, approval.id, decision), asked: approval.asked };
    case "waiting":
      return waiting(name, approval.id, decision);
  }
}

const VOID = {
  altered:
    "the approval that came with this call was asked for another one: other arguments, another tool or rule",
  used: "the approval that came with this call was used already, or has expired",
};

function waiting(name: string, id: string, { rule }: Decision): Ending {
  return refusal("needs_approval", {
    message: `a person must approve this call of ${name} first (${id}, ${rule})`,
    remedy: `A person answers with: toolkeep approval approve ${id} (or reject), or POST /api/approvals/${id}/approve. Then make the same call again.`,
    details: { approvalId: id },
  });
}
