import type { Caller } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Deadlines } from "../../lib/flow/deadlines.ts";
import type { NewId } from "../../lib/id.ts";
import type { Result } from "../../lib/result.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Vault } from "../../vault/vault.ts";
import type { Audit } from "../audit/audit.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Offers } from "../catalog/offers/offers.ts";
import type { Refused } from "../catalog/resolve.ts";
import type { AskedCall } from "../rules/approvals/approval-binding.ts";
import type { Approvals } from "../rules/approvals/approvals.ts";
import type { Decision } from "../rules/rules.ts";
import type { Watchdog } from "../rules/watchdog.ts";
import { checkArguments } from "./arguments/arguments.ts";
import type { Schemas } from "./arguments/schemas.ts";
import { askPerson, type Decided, NEVER_BEGAN } from "./ask-person.ts";
import { intended, storeDown } from "./intent.ts";
import { type Ending, envelope, refusal } from "./outcome.ts";
import { type Ran, runTool } from "./run-tool.ts";
import { noteContent } from "./shared-content.ts";

export interface CallDeps {
  readonly settings: () => Pick<Settings, "limits">;
  readonly catalog: Pick<Catalog, "resolve" | "get">;
  /** What can be called beside tools. */
  readonly offers: Pick<Offers, "resolve" | "pending">;
  readonly watchdog: Pick<
    Watchdog,
    "decide" | "files" | "mayAsk" | "labels" | "read" | "labelsOfContent" | "wroteContent"
  >;
  readonly approvals: Pick<Approvals, keyof Approvals>;
  /** The caller with what its agent has by now; undefined: the agent is gone, or the token it came with. */
  readonly current: (caller: Caller) => Caller | undefined;
  readonly audit: Pick<Audit, "begin">;
  readonly schemas: Schemas;
  /** For the time limits of calls. */
  readonly deadlines: Deadlines;
  readonly redact: (text: string) => string;
  /** Puts secrets in the place of their names; last of all, so that nobody but the tool sees them. */
  readonly expand: Vault["expand"];
  /** Notes that a tool runs. */
  readonly used: (caller: Caller, tool: Tool) => void;
  /** Keeps the whole of an output that is cut; undefined when it could not be kept. */
  readonly keepOutput: (caller: Caller, whole: string) => Promise<ToolOutcome["fullOutput"]>;
  /** How long the store has to keep that a destructive call is about to run; default 15 s. */
  readonly intentMs?: number;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly onBug: (error: unknown, callId: string) => void;
}

/** The life of one call. Never throws for what a caller, a server or a person can cause; a bug is an outcome too. */
export async function callTool(call: ToolCall, deps: CallDeps): Promise<ToolOutcome> {
  const callId = deps.newId("call");
  const startedAt = deps.clock();
  const record = deps.audit.begin(callId, call);
  const step: Step = { call, callId, record, deps };
  let ended: Ended;
  try {
    const living = live(step);
    ended = living instanceof Promise ? await living : living;
  } catch (error) {
    deps.onBug(error, callId);
    ended = { ending: isStoreDown(error) ? storeDown() : internalError(callId) };
  }
  // The clock of the machine may be set back meanwhile.
  const durationMs = Math.max(0, deps.clock() - startedAt);
  const { tool, ending } = ended;
  const outcome =
    tool === undefined ? { callId, ...ending, durationMs } : { callId, tool, ...ending, durationMs };
  tell(call, outcome, deps);
  record.end(ending.outcome, durationMs, ending.error?.message ?? null);
  deps.events.emit("call.ended", {
    callId,
    tool: tool ?? call.name,
    agent: call.caller.agentName,
    outcome: ending.outcome,
    durationMs,
  });
  return outcome;
}

function tell({ answered }: ToolCall, outcome: ToolOutcome, { onBug }: CallDeps): void {
  try {
    answered?.(outcome);
  } catch (error) {
    onBug(error, outcome.callId);
  }
}

/** How a call ended, and of which tool, where that is known. */
interface Ended {
  readonly tool?: string;
  readonly ending: Ending;
}

interface Step {
  readonly call: ToolCall;
  readonly callId: string;
  readonly record: AuditRecord;
  readonly deps: CallDeps;
  /** The call that this one stands behind, and the rule that asks about that. */
  readonly wrapper?: Wrapper;
  readonly asking?: Decision;
}

interface Wrapper {
  readonly call: ToolCall;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Resolve, check, decide, run; each step either leads to the next or ends the call. */
function live(step: Step): Ended | Promise<Ended> {
  const resolved = resolve(step);
  const { call, deps } = step;
  // What is not found may be in a list that is being fetched.
  const pending = !resolved.ok && call.kind !== undefined ? deps.offers.pending(call.caller) : undefined;
  return pending ? pending.then(() => prepare(step, resolve(step))) : prepare(step, resolved);
}

function prepare(step: Step, resolved: Result<Tool, Refused>): Ended | Promise<Ended> {
  if (!resolved.ok || !resolved.value.standsFor) return goOn(step, resolved);
  const meant = meantBy(resolved.value, step);
  if ("ending" in meant) return meant;
  const behind = resolve(meant);
  // Of itself it makes no sense, and nobody should have to follow it.
  if (behind.ok && behind.value.standsFor)
    return { tool: resolved.value.name, ending: refusal("invalid_arguments", CALLS_ITSELF) };
  if (behind.ok) step.record.shown(meant.call.arguments);
  return goOn(meant, behind);
}

function goOn(step: Step, resolved: Result<Tool, Refused>): Ended | Promise<Ended> {
  const { call, record, deps } = step;
  // Whatever becomes of the call: a secret in its arguments must not be in the audit.
  const meant = resolved.ok ? resolved.value : deps.catalog.get(resolved.error.tool ?? "");
  if (meant?.shownArguments) record.shown(meant.shownArguments(call.arguments));
  if (isCancelled(call)) return { ending: refusal("cancelled", NEVER_BEGAN) };
  if (!resolved.ok) {
    const { outcome, tool, error } = resolved.error;
    return { ...(tool === undefined ? {} : { tool }), ending: refusal(outcome, error) };
  }
  const tool = resolved.value;
  record.resolved(tool.name);
  if (call.rounds?.tool !== undefined && call.rounds.tool !== tool.name)
    return { tool: tool.name, ending: refusal("invalid_arguments", OTHERS_ANSWERS) };

  const args = checkArguments(tool, call.arguments, deps);
  if (!args.ok) return { tool: tool.name, ending: refusal("invalid_arguments", args.error) };
  record.checked();

  const decided = decide(tool, args.value, step);
  return decided instanceof Promise
    ? decided.then((then) => runDecided(tool, args.value, then, step))
    : runDecided(tool, args.value, decided, step);
}

function isCancelled({ stop, signal }: ToolCall): boolean {
  return stop?.aborted === true || signal?.aborted === true;
}

function resolve({ call, deps }: Pick<Step, "call" | "deps">): Result<Tool, Refused> {
  if (call.kind !== undefined) return deps.offers.resolve(call);
  return deps.catalog.resolve(call.name, call.caller, call.snapshot);
}

/** A call that stands for another is that other one from here on, unless it may not be made itself. */
function meantBy(wrapper: Tool, step: Step): Step | Ended {
  const { call, record, deps } = step;
  record.resolved(wrapper.name);
  const shown = wrapper.shownArguments?.(call.arguments);
  record.shown(shown);
  const args = checkArguments(wrapper, call.arguments, deps);
  if (!args.ok) return { tool: wrapper.name, ending: refusal("invalid_arguments", args.error) };
  const decision = deps.watchdog.decide(wrapper, call.caller, args.value);
  if (decision.action === "deny") {
    record.decided(shown, decision);
    return { tool: wrapper.name, ending: denied(wrapper, decision) };
  }
  const meant = { ...call, ...wrapper.standsFor!(args.value) };
  const around = {
    wrapper: { call, args: args.value },
    ...(decision.action === "ask" && { asking: decision }),
  };
  return { ...step, call: meant, ...around };
}

const OTHERS_ANSWERS = {
  message: "the answers are those to what another tool asked",
  remedy: "Make the call again without them.",
};
const CALLS_ITSELF = { message: "call_tool cannot call itself", remedy: "Name the tool that is meant." };

/** Every call that reaches its tool waits here, and only here: what else it needs is worked out without waiting. */
async function runDecided(
  asked: Tool,
  args: Readonly<Record<string, unknown>>,
  decided: Decided,
  step: Step,
): Promise<Ended> {
  if ("refused" in decided) return { tool: asked.name, ending: decided.refused };
  const { record, deps } = step;
  const { tool = asked, caller = step.call.caller } = decided.now ?? {};
  const call = caller === step.call.caller ? step.call : { ...step.call, caller };
  const expanded = call.kind === undefined ? deps.expand(args, { tool, caller: call.caller }) : undefined;
  const given = expanded === undefined ? undefined : await expanded;
  if (given?.ok === false) {
    const { outcome, ...error } = given.error;
    return await notMade({ tool: tool.name, ending: refusal(outcome, error) }, decided, step);
  }
  const unkept = tool.flags.destructive ? await intended(record, call, deps.intentMs) : undefined;
  if (unkept) return await notMade({ tool: tool.name, ending: unkept }, decided, step);
  // It may have been cancelled while it waited, here or for its secrets.
  if (isCancelled(call))
    return await notMade({ tool: tool.name, ending: refusal("cancelled", NEVER_BEGAN) }, decided, step);
  record.runs();
  const running = runTool(tool, given?.value ?? args, forTool(call, record.traceparent), {
    callId: step.callId,
    redact: deps.redact,
    deadlines: deps.deadlines,
    files: deps.watchdog.files(tool, call.caller, args),
  });
  // Only what must be done now: on few processors its server gets none until this process waits.
  deps.used(call.caller, tool);
  deps.events.emit("call.started", { callId: step.callId, tool: tool.name, agent: call.caller.agentName });
  const ran = await running;
  record.ran();
  const noted = noteContent(call.caller, tool, ran.result, deps.watchdog);
  if (noted) await noted;
  const enveloped = inEnvelope(tool, ran, step);
  const ending = enveloped instanceof Promise ? await enveloped : enveloped;
  // The next round of an approved call is part of what the person approved.
  if (decided.approvedBy && ending.asked) {
    const asked = { tool, args, caller: call.caller, decision: decided.approvedBy };
    const approved = deps.approvals.round(step.callId, asked);
    return { tool: tool.name, ending: { ...ending, asked: { ...ending.asked, approved } } };
  }
  return ran.isUnsent
    ? await notMade({ tool: tool.name, ending }, decided, step)
    : { tool: tool.name, ending };
}

/** A person approved that a call is made: one that certainly never left its yes to the next that is equal. */
async function notMade(ended: Ended, decided: Decided, { deps, callId }: Step): Promise<Ended> {
  const giveBack = "giveBack" in decided ? decided.giveBack : undefined;
  try {
    await giveBack?.();
  } catch (error) {
    // Then a person is asked once more, which is the safe side.
    if (!isStoreDown(error)) deps.onBug(error, callId);
  }
  return ended;
}

/**
 * What the round before asked was whether it may run at all: for the tool this one is the first. Where spans are made,
 * the tool's own belong below that of this call.
 */
function forTool(call: ToolCall, traceparent: string | undefined): ToolCall {
  if (call.rounds?.approval === undefined && traceparent === undefined) return call;
  return {
    ...call,
    ...(call.rounds?.approval !== undefined && { rounds: { capabilities: call.rounds.capabilities } }),
    ...(traceparent !== undefined && { meta: { ...call.meta, traceparent } }),
  };
}

/** Only where a person has a say does anybody have to wait. */
function decide(tool: Tool, args: Readonly<Record<string, unknown>>, step: Step): Decided | Promise<Decided> {
  const { call, record, deps } = step;
  const own = deps.watchdog.decide(tool, call.caller, args);
  const decision = own.action === "allow" && step.asking ? step.asking : own;
  record.decided(tool.shownArguments?.(args) ?? args, decision);
  const labels = deps.watchdog.labels(call.caller);
  if (labels.size > 0) record.labelled([...labels]);
  if (decision.action === "allow") return {};
  if (decision.action === "deny") return { refused: denied(tool, decision) };
  const { approvals } = deps;
  const asked = { tool, args, caller: call.caller, decision };
  return askPerson(asked, call, { approvals, record, again: () => decideAgain(asked, step) });
}

/** What a person said yes to must still be what would run, and nothing that is denied, or not the caller's, by now. */
function decideAgain(asked: AskedCall, step: Step): Decided {
  const { deps, wrapper } = step;
  const caller = deps.current(step.call.caller);
  if (!caller) return { refused: refusal("denied", CALLER_GONE) };
  const around = wrapper && resolve({ deps, call: { ...wrapper.call, caller } });
  const resolved = around?.ok === false ? around : resolve({ deps, call: { ...step.call, caller } });
  if (!resolved.ok) return { refused: refusal(resolved.error.outcome, resolved.error.error) };
  const tool = resolved.value;
  const decisions = [deps.watchdog.decide(tool, caller, asked.args)];
  if (around?.ok) decisions.push(deps.watchdog.decide(around.value, caller, wrapper!.args));
  const deny = decisions.find(({ action }) => action === "deny");
  if (deny) return { refused: denied(tool, deny) };
  const decision = decisions.find(({ action }) => action === "ask") ?? asked.decision;
  if (!deps.approvals.isSame(asked, { ...asked, tool, decision }))
    return { refused: refusal("denied", CHANGED_MEANWHILE) };
  return { approvedBy: asked.decision, now: { tool, caller } };
}

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

function inEnvelope(tool: Tool, { outcome, result }: Ran, step: Step): Ending | Promise<Ending> {
  const { call, deps } = step;
  return envelope(outcome, result, {
    limits: deps.settings().limits,
    redact: deps.redact,
    verbatim: tool.verbatim === true,
    keep: async (whole) => (tool.rereads ? undefined : await deps.keepOutput(call.caller, whole)),
  });
}

function isStoreDown(error: unknown): boolean {
  return error instanceof ToolkeepError && error.code === "STORE_UNAVAILABLE";
}

function internalError(callId: string): Ending {
  return refusal("internal_error", {
    message: `something went wrong inside Toolkeep (${callId})`,
    remedy: "Trying again may help; a person finds the cause in the log under this id.",
  });
}
