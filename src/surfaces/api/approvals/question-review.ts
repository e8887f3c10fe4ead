import type { OutcomeName, Tool } from "../../../contract/tool.ts";
import type { Hub } from "../../../hub.ts";
import { isRecord, stableJson } from "../../../lib/json.ts";
import { withHiddenShown } from "../../../lib/text/hidden-characters.ts";
import { diffLines } from "../../../lib/text/text-diff.ts";
import type { QuestionRecord } from "../../../machine/db/store.ts";
import type { CallRecord } from "../../../machine/db/tables/calls/call-record.ts";
import type { LastCall, QuestionReview, ReviewedCall, RuleView } from "../contract.ts";
import { narrowerRules } from "../rules/narrower-rules.ts";
import { ruleView, storedView } from "../rules/rule-view.ts";
import { questionView } from "../views.ts";

const MAX_CALLS = 20;
/** Among so many calls of the agent and the tool one that ran is looked for. */
const LOOKED_AT = 50;
const MAX_DESCRIPTION = 2_000;

/** What a person wants to know before they answer. */
export async function review(hub: Hub, question: QuestionRecord): Promise<QuestionReview> {
  const calls: ReviewedCall[] = [];
  for (const call of callsOf(question)) calls.push(await reviewed(hub, question, call));
  return { question: questionView(hub, question), calls };
}

interface Asked {
  readonly tool: string;
  readonly arguments: string;
  readonly rule: string;
  readonly ruleId: string | undefined;
}

function callsOf({ kind, details }: QuestionRecord): readonly Asked[] {
  if (kind !== "approval") return [];
  const calls: readonly unknown[] = Array.isArray(details.calls) ? details.calls : [details];
  return calls.filter(isRecord).slice(0, MAX_CALLS).map(asked);
}

function asked({ tool, arguments: args, rule, ruleId }: Readonly<Record<string, unknown>>): Asked {
  return {
    tool: String(tool),
    arguments: typeof args === "string" ? args : "{}",
    rule: String(rule ?? ""),
    ruleId: typeof ruleId === "string" ? ruleId : undefined,
  };
}

async function reviewed(hub: Hub, question: QuestionRecord, call: Asked): Promise<ReviewedCall> {
  const { agentId, details } = question;
  const tool = hub.catalog.get(call.tool);
  const conversation = String(details.conversation ?? "");
  return {
    tool: call.tool,
    description: tool ? tool.description.slice(0, MAX_DESCRIPTION) : null,
    capabilities: tool?.capabilities ?? [],
    destructive: tool?.flags.destructive ?? false,
    arguments: call.arguments,
    rule: call.rule,
    askedBy: askedBy(hub, call),
    findings: tool ? hub.upstream.trust.listToolFindings(tool) : [],
    last: await lastCall(hub, agentId, call),
    rules: tool && takesAlways(question) ? rulesFor(hub, tool, { agentId, conversation, call }) : [],
  };
}

/** As it is now. One that was edited since says so by its words. */
function askedBy(hub: Hub, { rule, ruleId }: Asked): RuleView | null {
  if (ruleId !== undefined) {
    const record = hub.ruleBook.find(ruleId);
    return record ? storedView(hub, record) : null;
  }
  const found = hub.watchdog.decider.rules.all.find(({ text }) => text === rule);
  return found ? ruleView(hub, found.rule) : null;
}

function takesAlways({ details }: QuestionRecord): boolean {
  return Array.isArray(details.answers) && details.answers.includes("always");
}

function rulesFor(
  hub: Hub,
  tool: Tool,
  { agentId, conversation, call }: { agentId: string; conversation: string; call: Asked },
): ReviewedCall["rules"] {
  const agent = hub.identity.agentById(agentId);
  const args = parsed(call.arguments);
  if (!agent || !isRecord(args)) return [];
  const caller = hub.identity.callerFor(agent, { tokenId: null, scopes: null, conversation });
  return narrowerRules(hub.watchdog.decider, tool, caller, args);
}

/** How such a call ends whose tool was reached. */
const RAN: ReadonlySet<OutcomeName | null> = new Set(["ok", "failed", "timed_out", "cancelled", null]);

async function lastCall(hub: Hub, agentId: string, { tool, ...call }: Asked): Promise<LastCall | null> {
  const { calls } = await hub.store.calls.search({ agentId, tool, limit: LOOKED_AT });
  const last = calls.find(
    ({ outcome, decision, approvedBy }) => RAN.has(outcome) && (decision === "allow" || approvedBy !== null),
  );
  return last ? compared(last, call.arguments) : null;
}

function compared(last: CallRecord, now: string): LastCall {
  const { id, startedAt: at, outcome, approvedBy } = last;
  const [before, after] = [parsed(last.arguments), parsed(now)];
  const about = { id, at, outcome, approvedBy };
  if (before === undefined || after === undefined) return { ...about, cut: true, changes: [] };
  return { ...about, cut: false, changes: diffLines(inLines(before), inLines(after)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** With keys in one order, whichever way the caller wrote them. */
function inLines(value: unknown): string {
  return withHiddenShown(JSON.stringify(JSON.parse(stableJson(value)), null, 2));
}
