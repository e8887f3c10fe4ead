import type { OutcomeName, Tool } from "../../../contract/tool.ts";
import type { Finding } from "../../../contract/tool-shapes.ts";
import { isRecord, stableJson } from "../../../lib/json.ts";
import { escapeHidden } from "../../../lib/text/hidden-characters.ts";
import { diffLines } from "../../../lib/text/text-diff.ts";
import type { CallStore } from "../../audit/call-store.ts";
import type { CallRecord } from "../../audit/contract.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Identity } from "../../identity/identity.ts";
import type { QuestionRecord } from "../../questions/contract.ts";
import { type QuestionViewDeps, viewQuestion } from "../../questions/question-view.ts";
import type { RuleView } from "../contract.ts";
import { narrowerRules } from "../review/narrower-rules.ts";
import { type RuleViewDeps, viewRule, viewStoredRule } from "../review/rule-view.ts";
import type { Watchdog } from "../watchdog.ts";
import type { LastCall, QuestionReview, ReviewedCall } from "./contract.ts";

export interface QuestionReviewDeps extends QuestionViewDeps, RuleViewDeps {
  readonly watchdog: Pick<Watchdog, "decider">;
  readonly identity: Pick<Identity, "agentById" | "callerFor">;
  readonly catalog: () => Catalog;
  readonly calls: Pick<CallStore, "search">;
  /** What people should look at in what a tool says of itself. */
  readonly findingsOf: (tool: Tool) => readonly Finding[];
}

const MAX_CALLS = 20;
/** The last call that ran is looked for among this many calls. */
const MAX_SEARCHED = 50;
const MAX_DESCRIPTION = 2_000;

/** What a person wants to know before they answer. */
export async function reviewQuestion(
  deps: QuestionReviewDeps,
  question: QuestionRecord,
): Promise<QuestionReview> {
  const calls: ReviewedCall[] = [];
  for (const call of callsOf(question)) calls.push(await reviewCall(deps, question, call));
  return { question: viewQuestion(deps, question), calls };
}

/** A call as the details of its question describe it. */
interface PendingCall {
  readonly tool: string;
  readonly arguments: string;
  readonly rule: string;
  readonly ruleId: string | undefined;
}

function callsOf({ kind, details }: QuestionRecord): readonly PendingCall[] {
  if (kind !== "approval") return [];
  const calls: readonly unknown[] = Array.isArray(details.calls) ? details.calls : [details];
  return calls.filter(isRecord).slice(0, MAX_CALLS).map(toPendingCall);
}

function toPendingCall({
  tool,
  arguments: args,
  rule,
  ruleId,
}: Readonly<Record<string, unknown>>): PendingCall {
  return {
    tool: String(tool),
    arguments: typeof args === "string" ? args : "{}",
    rule: String(rule ?? ""),
    ruleId: typeof ruleId === "string" ? ruleId : undefined,
  };
}

async function reviewCall(
  deps: QuestionReviewDeps,
  question: QuestionRecord,
  call: PendingCall,
): Promise<ReviewedCall> {
  const { agentId, details } = question;
  const tool = deps.catalog().get(call.tool);
  const conversation = String(details.conversation ?? "");
  return {
    tool: call.tool,
    description: tool ? tool.description.slice(0, MAX_DESCRIPTION) : null,
    capabilities: tool?.capabilities ?? [],
    destructive: tool?.flags.destructive ?? false,
    arguments: call.arguments,
    rule: call.rule,
    askedBy: findRule(deps, call),
    findings: tool ? deps.findingsOf(tool) : [],
    last: await findLastCall(deps, agentId, call),
    rules: tool && acceptsAlways(question) ? rulesFor(deps, tool, { agentId, conversation, call }) : [],
  };
}

/** The rule that asked, as it is now. A rule of a settings file that was edited since has other words and is not found. */
function findRule(deps: QuestionReviewDeps, { rule, ruleId }: PendingCall): RuleView | null {
  if (ruleId !== undefined) {
    const record = deps.ruleBook.find(ruleId);
    return record ? viewStoredRule(deps, record) : null;
  }
  const found = deps.watchdog.decider.rules.all.find(({ text }) => text === rule);
  return found ? viewRule(deps, found.rule) : null;
}

function acceptsAlways({ details }: QuestionRecord): boolean {
  return Array.isArray(details.answers) && details.answers.includes("always");
}

function rulesFor(
  { identity, watchdog }: QuestionReviewDeps,
  tool: Tool,
  { agentId, conversation, call }: { agentId: string; conversation: string; call: PendingCall },
): ReviewedCall["rules"] {
  const agent = identity.agentById(agentId);
  const args = parseJson(call.arguments);
  if (!agent || !isRecord(args)) return [];
  const caller = identity.callerFor(agent, { tokenId: null, scopes: null, conversation });
  return narrowerRules(watchdog.decider, tool, caller, args);
}

/** Outcomes of calls that reached their tool. */
const RAN: ReadonlySet<OutcomeName | null> = new Set(["ok", "failed", "timed_out", "cancelled", null]);

async function findLastCall(
  deps: QuestionReviewDeps,
  agentId: string,
  { tool, ...call }: PendingCall,
): Promise<LastCall | null> {
  const { calls } = await deps.calls.search({ agentId, tool, limit: MAX_SEARCHED });
  const last = calls.find(
    ({ outcome, decision, approvedBy }) => RAN.has(outcome) && (decision === "allow" || approvedBy !== null),
  );
  return last ? compareCalls(last, call.arguments) : null;
}

function compareCalls(last: CallRecord, now: string): LastCall {
  const { id, startedAt: at, outcome, approvedBy } = last;
  const [before, after] = [parseJson(last.arguments), parseJson(now)];
  const about = { id, at, outcome, approvedBy };
  if (before === undefined || after === undefined) return { ...about, cut: true, changes: [] };
  return { ...about, cut: false, changes: diffLines(toLines(before), toLines(after)) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sorts the keys, so that the order in which callers write them makes no difference. */
function toLines(value: unknown): string {
  return escapeHidden(JSON.stringify(JSON.parse(stableJson(value)), null, 2));
}
