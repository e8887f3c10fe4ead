import type { Caller } from "../../contract/caller.ts";
import type { Tool, ToolCall } from "../../contract/tool.ts";
import type { Result } from "../../lib/result.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import type { Refused } from "../catalog/resolve.ts";
import type { Approval, AskedCall } from "../rules/approvals/approvals.ts";
import type { Decision } from "../rules/rules.ts";
import { checkArguments } from "./arguments/arguments.ts";
import { NEVER_BEGAN, refusal } from "./finish.ts";
import type { Ended, Ending, Kernel, Prepared } from "./kernel.ts";

type Arguments = Readonly<Record<string, unknown>>;

type Preparation = Prepared | { readonly refused: Ended };

/**
 * Resolves the tool, checks the arguments, and decides whether the call may run. At once, but where a list has to be
 * fetched first or a person has a say.
 */
export function prepare(
  call: ToolCall,
  record: AuditRecord,
  kernel: Kernel,
): Preparation | Promise<Preparation> {
  const resolved = resolve(call, kernel);
  // What is not found may be in a list that is being fetched.
  const pending = !resolved.ok && call.kind !== undefined ? kernel.offers.pending(call.caller) : undefined;
  return pending === undefined
    ? prepareResolved(call, resolved, record, kernel)
    : pending.then(() => prepareResolved(call, resolve(call, kernel), record, kernel));
}

function prepareResolved(
  call: ToolCall,
  found: Result<Tool, Refused>,
  record: AuditRecord,
  kernel: Kernel,
): Preparation | Promise<Preparation> {
  let resolved = found;
  let target: CallTarget = { call };
  if (resolved.ok && resolved.value.standsFor) {
    const wrapper = resolved.value;
    const meant = unwrapCallTool(call, wrapper, record, kernel);
    if ("refused" in meant) return meant;
    target = meant;
    resolved = resolve(meant.call, kernel);
    // A wrapper around itself makes no sense, and nobody should have to follow it.
    if (resolved.ok && resolved.value.standsFor)
      return refuse(refusal("invalid_arguments", CALLS_ITSELF), wrapper);
    if (resolved.ok) record.shown(meant.call.arguments);
  }

  const checked = check(target.call, resolved, record, kernel);
  if ("refused" in checked) return checked;
  const { tool, args } = checked;
  const decision = decide(target, tool, args, record, kernel);
  if (decision.action === "allow") return checked;
  if (decision.action === "deny") return refuse(denied(tool, decision), tool);
  return askPerson(target, { tool, args, caller: target.call.caller, decision }, record, kernel);
}

function resolve(call: ToolCall, { catalog, offers }: Kernel): Result<Tool, Refused> {
  if (call.kind !== undefined) return offers.resolve(call);
  return catalog.resolve(call.name, call.caller, call.snapshot);
}

/** The call that is to be made, and the one that it came in. */
interface CallTarget {
  readonly call: ToolCall;
  readonly wrapper?: {
    readonly call: ToolCall;
    readonly args: Arguments;
    /** The rule that asks about the wrapper. */
    readonly asking?: Decision;
  };
}

/** A call of `call_tool` is the call that it describes from here on, unless it may not be made itself. */
function unwrapCallTool(
  call: ToolCall,
  wrapper: Tool,
  record: AuditRecord,
  kernel: Kernel,
): CallTarget | { readonly refused: Ended } {
  record.resolved(wrapper.name);
  const visible = wrapper.shownArguments?.(call.arguments);
  record.shown(visible);
  const args = checkArguments(wrapper, call.arguments, kernel);
  if (!args.ok) return refuse(refusal("invalid_arguments", args.error), wrapper);
  const decision = kernel.watchdog.decide(wrapper, call.caller, args.value);
  if (decision.action === "deny") {
    record.decided(visible, decision);
    return refuse(denied(wrapper, decision), wrapper);
  }
  return {
    call: { ...call, ...wrapper.standsFor!(args.value) },
    wrapper: { call, args: args.value, ...(decision.action === "ask" && { asking: decision }) },
  };
}

/** Whether there is such a tool for the caller, and whether the arguments fit it. */
function check(
  call: ToolCall,
  resolved: Result<Tool, Refused>,
  record: AuditRecord,
  kernel: Kernel,
): Preparation {
  // Whatever becomes of the call: a secret in its arguments must not be in the audit.
  const meant = resolved.ok ? resolved.value : kernel.catalog.get(resolved.error.tool ?? "");
  if (meant?.shownArguments) record.shown(meant.shownArguments(call.arguments));
  if (call.signal?.aborted) return refuse(refusal("cancelled", NEVER_BEGAN));
  if (!resolved.ok) {
    const { outcome, tool, error } = resolved.error;
    return refuse(refusal(outcome, error), tool === undefined ? undefined : { name: tool });
  }
  const tool = resolved.value;
  record.resolved(tool.name);
  if (call.rounds?.tool !== undefined && call.rounds.tool !== tool.name)
    return refuse(refusal("invalid_arguments", OTHERS_ANSWERS), tool);
  const args = checkArguments(tool, call.arguments, kernel);
  if (!args.ok) return refuse(refusal("invalid_arguments", args.error), tool);
  record.checked();
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
  const decision = own.action === "allow" && wrapper?.asking ? wrapper.asking : own;
  record.decided(tool.shownArguments?.(args) ?? args, decision);
  const labels = watchdog.labels(call.caller);
  if (labels.size > 0) record.labelled([...labels]);
  return decision;
}

/** Has a person decide, or finds what one has decided. Only a call that a rule asks about comes here. */
async function askPerson(
  target: CallTarget,
  asked: AskedCall,
  record: AuditRecord,
  kernel: Kernel,
): Promise<Preparation> {
  const { call } = target;
  const { tool, args, decision } = asked;
  const { approvals } = kernel;
  // The task is there because its call was approved.
  if (call.kind === "task") return { call, tool, args, approvedBy: decision };
  // A person has seen the whole call already: what the tool asked in between does not change it.
  const round = call.rounds?.approved;
  if (round !== undefined && (await approvals.continues(round, asked)))
    return { call, tool, args, approvedBy: decision, giveBack: () => approvals.giveRoundBack(round) };
  let approval: Approval;
  try {
    approval = await approvals.of(asked, call);
  } catch (error) {
    if (!call.signal?.aborted) throw error;
    return refuse(refusal("cancelled", NEVER_BEGAN), tool);
  }
  if ("id" in approval) record.asked(approval.id, approval.kind === "approved" ? approval.by : null);
  if (approval.kind !== "approved") return refuse(notApproved(asked, approval), tool);
  const { used } = approval;
  const again = decideAgain(target, asked, kernel);
  if ("refused" in again || used === undefined) return again;
  return { ...again, giveBack: () => approvals.giveBack(used) };
}

/**
 * A person may take their time: what they said yes to must still be what would run, and nothing that is denied, or not
 * the caller's, by now.
 */
function decideAgain({ call, wrapper }: CallTarget, asked: AskedCall, kernel: Kernel): Preparation {
  const { watchdog, approvals, identity } = kernel;
  const caller: Caller | undefined = identity.current(call.caller);
  if (!caller) return refuse(refusal("denied", CALLER_GONE), asked.tool);
  const around = wrapper && resolve({ ...wrapper.call, caller }, kernel);
  const resolved = around?.ok === false ? around : resolve({ ...call, caller }, kernel);
  if (!resolved.ok) return refuse(refusal(resolved.error.outcome, resolved.error.error), asked.tool);
  const tool = resolved.value;
  const decisions = [watchdog.decide(tool, caller, asked.args)];
  if (around?.ok) decisions.push(watchdog.decide(around.value, caller, wrapper!.args));
  const deny = decisions.find(({ action }) => action === "deny");
  if (deny) return refuse(denied(tool, deny), asked.tool);
  const decision = decisions.find(({ action }) => action === "ask") ?? asked.decision;
  if (!approvals.isSame(asked, { ...asked, tool, decision }))
    return refuse(refusal("denied", CHANGED_MEANWHILE), asked.tool);
  return { call: { ...call, caller }, tool, args: asked.args, approvedBy: asked.decision };
}

function refuse(ending: Ending, tool?: Pick<Tool, "name">): { readonly refused: Ended } {
  return { refused: tool === undefined ? { ending } : { tool: tool.name, ending } };
}

const OTHERS_ANSWERS = {
  message: "the answers are those to what another tool asked",
  remedy: "Make the call again without them.",
};
const CALLS_ITSELF = { message: "call_tool cannot call itself", remedy: "Name the tool that is meant." };
const CALLER_GONE = { message: "the agent of this call, or the token it came with, is gone by now" };
const CHANGED_MEANWHILE = {
  message:
    "the tool, a secret in its arguments, or the rule that asks about it became another while a person was asked; nothing was done",
  remedy: "Make the same call again.",
};

function denied({ name }: Tool, { rule }: Decision): Ending {
  const message = `${name} is denied by a rule (${rule})`;
  const remedy = "Use another tool; only a person can change the rule.";
  return refusal("denied", { message, remedy });
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
