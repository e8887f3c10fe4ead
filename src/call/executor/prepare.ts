import type { Caller } from "../../contract/caller.ts";
import type { Tool, ToolCall } from "../../contract/tool.ts";
import type { Result } from "../../lib/result.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import type { Refusal } from "../catalog/resolve.ts";
import type { Approval, CallForApproval } from "../rules/approvals/approvals.ts";
import type { Decision } from "../rules/rules.ts";
import { checkArguments } from "./arguments/arguments.ts";
import { NEVER_BEGAN, refusal } from "./finish.ts";
import type { CallEnd, Kernel, OutcomeDraft, PreparedCall } from "./kernel.ts";

type Arguments = Readonly<Record<string, unknown>>;

type Preparation = PreparedCall | { readonly refused: CallEnd };

/**
 * Resolves the tool, checks the arguments, and decides whether the call may run. Synchronous unless a list has to be
 * fetched first or a person is asked.
 */
export function prepare(
  call: ToolCall,
  record: AuditRecord,
  kernel: Kernel,
): Preparation | Promise<Preparation> {
  const resolved = resolve(call, kernel);
  // An offer that is not found may be in a list that is still being fetched.
  const pending = !resolved.ok && call.kind !== undefined ? kernel.offers.pending(call.caller) : undefined;
  return pending === undefined
    ? prepareResolved(call, resolved, record, kernel)
    : pending.then(() => prepareResolved(call, resolve(call, kernel), record, kernel));
}

function prepareResolved(
  call: ToolCall,
  initial: Result<Tool, Refusal>,
  record: AuditRecord,
  kernel: Kernel,
): Preparation | Promise<Preparation> {
  let resolved = initial;
  let target: CallTarget = { call };
  if (resolved.ok && resolved.value.standsFor) {
    const wrapper = resolved.value;
    const inner = unwrapCallTool(call, wrapper, record, kernel);
    if ("refused" in inner) return inner;
    target = inner;
    resolved = resolve(inner.call, kernel);
    // A wrapper around a wrapper makes no sense and could nest without end.
    if (resolved.ok && resolved.value.standsFor)
      return refuse(refusal("invalid_arguments", CALLS_ITSELF), wrapper);
    if (resolved.ok) record.setArguments(inner.call.arguments);
  }

  const checked = check(target.call, resolved, record, kernel);
  if ("refused" in checked) return checked;
  const { tool, args } = checked;
  const decision = decide(target, tool, args, record, kernel);
  if (decision.action === "allow") return checked;
  if (decision.action === "deny") return refuse(denial(tool, decision), tool);
  return askPerson(target, { tool, args, caller: target.call.caller, decision }, record, kernel);
}

function resolve(call: ToolCall, { catalog, offers }: Kernel): Result<Tool, Refusal> {
  if (call.kind !== undefined) return offers.resolve(call);
  return catalog.resolve(call.name, call.caller, call.snapshot);
}

/** The call to make, and the wrapper that it came in. */
interface CallTarget {
  readonly call: ToolCall;
  readonly wrapper?: {
    readonly call: ToolCall;
    readonly args: Arguments;
    /** The wrapper's own decision, where that asks. */
    readonly askDecision?: Decision;
  };
}

/** Replaces a call of `call_tool` by the call that it describes, unless the wrapper itself is refused. */
function unwrapCallTool(
  call: ToolCall,
  wrapper: Tool,
  record: AuditRecord,
  kernel: Kernel,
): CallTarget | { readonly refused: CallEnd } {
  record.noteTool(wrapper.name);
  const visible = wrapper.shownArguments?.(call.arguments);
  record.setArguments(visible);
  const args = checkArguments(wrapper, call.arguments, kernel);
  if (!args.ok) return refuse(refusal("invalid_arguments", args.error), wrapper);
  const decision = kernel.watchdog.decide(wrapper, call.caller, args.value);
  if (decision.action === "deny") {
    record.noteDecision(visible, decision);
    return refuse(denial(wrapper, decision), wrapper);
  }
  return {
    call: { ...call, ...wrapper.standsFor!(args.value) },
    wrapper: { call, args: args.value, ...(decision.action === "ask" && { askDecision: decision }) },
  };
}

/** Checks that the caller has such a tool and that the arguments fit it. */
function check(
  call: ToolCall,
  resolved: Result<Tool, Refusal>,
  record: AuditRecord,
  kernel: Kernel,
): Preparation {
  // However the call ends, a secret in its arguments must not reach the audit.
  const target = resolved.ok ? resolved.value : kernel.catalog.get(resolved.error.tool ?? "");
  if (target?.shownArguments) record.setArguments(target.shownArguments(call.arguments));
  if (call.signal?.aborted) return refuse(refusal("cancelled", NEVER_BEGAN));
  if (!resolved.ok) {
    const { outcome, tool, error } = resolved.error;
    return refuse(refusal(outcome, error), tool === undefined ? undefined : { name: tool });
  }
  const tool = resolved.value;
  record.noteTool(tool.name);
  if (call.rounds?.tool !== undefined && call.rounds.tool !== tool.name)
    return refuse(refusal("invalid_arguments", ANSWERS_FOR_ANOTHER_TOOL), tool);
  const args = checkArguments(tool, call.arguments, kernel);
  if (!args.ok) return refuse(refusal("invalid_arguments", args.error), tool);
  record.noteChecked();
  return { call, tool, args: args.value };
}

function decide(
  { call, wrapper }: CallTarget,
  tool: Tool,
  args: Arguments,
  record: AuditRecord,
  { watchdog }: Kernel,
): Decision {
  const own = watchdog.decide(tool, call.caller, args);
  const decision = own.action === "allow" && wrapper?.askDecision ? wrapper.askDecision : own;
  record.noteDecision(tool.shownArguments?.(args) ?? args, decision);
  const labels = watchdog.labels(call.caller);
  if (labels.size > 0) record.noteLabels([...labels]);
  return decision;
}

/** Asks a person, or finds the answer that one has given. Only for calls that a rule asks about. */
async function askPerson(
  target: CallTarget,
  request: CallForApproval,
  record: AuditRecord,
  kernel: Kernel,
): Promise<Preparation> {
  const { call } = target;
  const { tool, args, decision } = request;
  const { approvals } = kernel;
  // The task exists because its call was approved.
  if (call.kind === "task") return { call, tool, args, approvedBy: decision };
  // A person has approved the whole call; the answers to the tool's own questions do not change it.
  const round = call.rounds?.approved;
  if (round !== undefined && (await approvals.claimRound(round, request)))
    return { call, tool, args, approvedBy: decision, releaseApproval: () => approvals.releaseRound(round) };
  let approval: Approval;
  try {
    approval = await approvals.obtain(request, call);
  } catch (error) {
    if (!call.signal?.aborted) throw error;
    return refuse(refusal("cancelled", NEVER_BEGAN), tool);
  }
  if ("id" in approval) record.noteApproval(approval.id, approval.kind === "approved" ? approval.by : null);
  if (approval.kind !== "approved") return refuse(approvalRefusal(request, approval), tool);
  const { usedId } = approval;
  const rechecked = decideAgain(target, request, kernel);
  if ("refused" in rechecked || usedId === undefined) return rechecked;
  return { ...rechecked, releaseApproval: () => approvals.release(usedId) };
}

/**
 * A person may take long to answer. What they approved must still be what would run, must still be granted to the
 * caller, and must not be denied by now.
 */
function decideAgain({ call, wrapper }: CallTarget, request: CallForApproval, kernel: Kernel): Preparation {
  const { watchdog, approvals, identity } = kernel;
  const caller: Caller | undefined = identity.currentCaller(call.caller);
  if (!caller) return refuse(refusal("denied", CALLER_GONE), request.tool);
  const outer = wrapper && resolve({ ...wrapper.call, caller }, kernel);
  const resolved = outer?.ok === false ? outer : resolve({ ...call, caller }, kernel);
  if (!resolved.ok) return refuse(refusal(resolved.error.outcome, resolved.error.error), request.tool);
  const tool = resolved.value;
  const decisions = [watchdog.decide(tool, caller, request.args)];
  if (outer?.ok) decisions.push(watchdog.decide(outer.value, caller, wrapper!.args));
  const deny = decisions.find(({ action }) => action === "deny");
  if (deny) return refuse(denial(tool, deny), request.tool);
  const decision = decisions.find(({ action }) => action === "ask") ?? request.decision;
  if (!approvals.isSame(request, { ...request, tool, decision }))
    return refuse(refusal("denied", CHANGED_MEANWHILE), request.tool);
  return { call: { ...call, caller }, tool, args: request.args, approvedBy: request.decision };
}

function refuse(draft: OutcomeDraft, tool?: Pick<Tool, "name">): { readonly refused: CallEnd } {
  return { refused: tool === undefined ? { draft } : { tool: tool.name, draft } };
}

const ANSWERS_FOR_ANOTHER_TOOL = {
  message: "the answers belong to the questions of another tool",
  remedy: "Make the call again without them.",
};
const CALLS_ITSELF = { message: "call_tool cannot call itself", remedy: "Name the tool to call." };
const CALLER_GONE = { message: "the agent of this call, or its token, no longer exists" };
const CHANGED_MEANWHILE = {
  message:
    "the tool, a secret in its arguments, or the rule that asks about it changed while a person was asked; nothing was done",
  remedy: "Make the same call again.",
};

function denial({ name }: Tool, { rule }: Decision): OutcomeDraft {
  const message = `${name} is denied by a rule (${rule})`;
  const remedy = "Use another tool; only a person can change the rule.";
  return refusal("denied", { message, remedy });
}

function approvalRefusal(
  { tool, decision }: CallForApproval,
  approval: Exclude<Approval, { kind: "approved" }>,
): OutcomeDraft {
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
        message: `this call of ${name} needs a person's approval (${decision.rule}), and this agent is headless: nobody is asked`,
        remedy: "Do something else; only a person can allow it with a rule.",
      });
    case "too_long":
      return refusal("denied", {
        message: `this call of ${name} needs a person's approval (${decision.rule}), but it is too long to be shown to them in full (at most ${approval.limit} characters)`,
        remedy: "Make it in several smaller calls.",
      });
    case "too_many":
      return refusal("denied", {
        message: `${approval.limit} calls of this agent already wait for a person`,
        remedy: "Wait until a person has answered some of them.",
      });
    case "void":
      return refusal("denied", {
        message: VOID_REASONS[approval.why],
        remedy: "Make the call again without it.",
      });
    case "asks":
      return { ...pendingApproval(name, approval.id, decision), asked: approval.asked };
    case "waiting":
      return pendingApproval(name, approval.id, decision);
  }
}

const VOID_REASONS = {
  altered:
    "the approval that came with this call was given for another call: its arguments, tool or rule differ",
  used: "the approval that came with this call has already been used or has expired",
};

function pendingApproval(name: string, id: string, { rule }: Decision): OutcomeDraft {
  return refusal("needs_approval", {
    message: `a person must approve this call of ${name} first (${id}, ${rule})`,
    remedy: `A person answers with: toolkeep approval approve ${id} (or reject), or POST /api/approvals/${id}/approve. Then make the same call again.`,
    details: { approvalId: id },
  });
}
