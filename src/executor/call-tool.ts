import type { Audit, AuditRecord } from "../audit/audit.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Settings } from "../config/settings.ts";
import { ToolkeepError } from "../errors.ts";
import type { Events } from "../events.ts";
import type { Clock } from "../lib/clock.ts";
import type { NewId } from "../lib/id.ts";
import type { Tool, ToolCall, ToolOutcome } from "../tool.ts";
import type { Watchdog } from "../watchdog/watchdog.ts";
import { checkArguments } from "./arguments.ts";
import { type Ending, envelope, refusal } from "./outcome.ts";
import { withBoundedProgress } from "./progress.ts";
import { runTool } from "./run-tool.ts";
import type { Schemas } from "./schemas.ts";

export interface CallDeps {
  readonly settings: () => Pick<Settings, "limits">;
  readonly catalog: Pick<Catalog, "resolve">;
  readonly watchdog: Pick<Watchdog, "decide" | "approval">;
  readonly audit: Pick<Audit, "begin">;
  readonly schemas: Schemas;
  readonly redact: (text: string) => string;
  readonly keepOutput: (
    call: ToolCall,
    callId: string,
    whole: string,
  ) => Promise<{ path: string; bytes: number } | undefined>;
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
  let ended: { tool?: string; ending: Ending };
  try {
    ended = await live(step);
  } catch (error) {
    deps.onBug(error, callId);
    ended = { ending: isStoreDown(error) ? storeDown() : internalError(callId) };
  }
  // The clock of the machine may be set back meanwhile.
  const durationMs = Math.max(0, deps.clock() - startedAt);
  const { tool, ending } = ended;
  record.end(ending.outcome, durationMs, ending.error?.message ?? null);
  deps.events.emit("call.ended", {
    callId,
    tool: tool ?? call.name,
    agent: call.caller.agentName,
    outcome: ending.outcome,
    durationMs,
  });
  return { callId, ...(tool === undefined ? {} : { tool }), ...ending, durationMs };
}

interface Step {
  readonly call: ToolCall;
  readonly callId: string;
  readonly record: AuditRecord;
  readonly deps: CallDeps;
}

/** Resolve, check, decide, run; each step either leads to the next or ends the call. */
async function live(step: Step): Promise<{ tool?: string; ending: Ending }> {
  const { call, record, deps } = step;
  const resolved = deps.catalog.resolve(call.name, call.caller);
  if (!resolved.ok) {
    const { outcome, tool, error } = resolved.error;
    return { ...(tool === undefined ? {} : { tool }), ending: refusal(outcome, error) };
  }
  const tool = resolved.value;
  record.resolved(tool.name, tool.shownArguments?.(call.arguments));

  const args = checkArguments(tool, call.arguments, deps);
  if (!args.ok) return { tool: tool.name, ending: refusal("invalid_arguments", args.error) };

  const refused = await decide(tool, args.value, step);
  if (refused) return { tool: tool.name, ending: refused };

  if (tool.flags.destructive) await record.intent();
  return { tool: tool.name, ending: await run(tool, args.value, step) };
}

async function decide(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  step: Step,
): Promise<Ending | undefined> {
  const { call, record, deps } = step;
  const decision = deps.watchdog.decide(tool, call.caller);
  record.decided(tool.shownArguments?.(args) ?? args, decision);
  if (decision.action === "allow") return undefined;
  if (decision.action === "deny") {
    return refusal("denied", {
      message: `${tool.name} is denied by a rule (${decision.rule})`,
      remedy: "Use another tool; only a person can change the rule.",
    });
  }
  const approval = await deps.watchdog.approval(tool, args, call.caller, decision);
  switch (approval.kind) {
    case "approved":
      return undefined;
    case "rejected":
      return refusal("denied", {
        message: `a person rejected this call of ${tool.name}`,
        remedy: "Do not repeat it; do something else.",
      });
    case "too_many":
      return refusal("denied", {
        message: `${approval.limit} calls of this agent wait for a person already`,
        remedy: "Wait until a person has answered some of them.",
      });
    case "waiting":
      return refusal("needs_approval", {
        message: `a person must approve this call of ${tool.name} first (${approval.id}, ${decision.rule})`,
        remedy: `A person answers with: toolkeep question answer ${approval.id} once. Then make the same call again.`,
        details: { approvalId: approval.id },
      });
  }
}

async function run(tool: Tool, args: Readonly<Record<string, unknown>>, step: Step): Promise<Ending> {
  const { call, callId, deps } = step;
  deps.events.emit("call.started", { callId, tool: tool.name, agent: call.caller.agentName });
  const { outcome, result } = await runTool(tool, args, withBoundedProgress(call, deps.redact), callId);
  return envelope(outcome, result, {
    limits: deps.settings().limits,
    redact: deps.redact,
    keep: (whole) => deps.keepOutput(call, callId, whole),
  });
}

function isStoreDown(error: unknown): boolean {
  return error instanceof ToolkeepError && error.code === "STORE_UNAVAILABLE";
}

function storeDown(): Ending {
  return refusal("unavailable", {
    message: "Toolkeep's store cannot be used at the moment, and this call needs it",
    remedy: "Try again later; a person finds the cause in the log.",
  });
}

function internalError(callId: string): Ending {
  return refusal("internal_error", {
    message: `something went wrong inside Toolkeep (${callId})`,
    remedy: "Trying again may help; a person finds the cause in the log under this id.",
  });
}
