import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import {
  type Content,
  type InputRequest,
  type OutcomeError,
  type OutcomeName,
  type SharedContent,
  type Task,
  type Tool,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  text,
} from "../../contract/tool.ts";
import { changeTexts } from "../../lib/text/change-texts.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import type { CallEnd, Kernel, OutcomeDraft, PreparedCall, ToolEnd } from "./kernel.ts";

/** How long the whole of a cut output can be read. */
export const OUTPUT_KEPT_MS = 24 * 3_600_000;

type MutableDraft = { -readonly [Field in keyof OutcomeDraft]: OutcomeDraft[Field] };

/** Far beyond what any client shows, and far below what overflows the stack. */
const MAX_DEPTH = 200;
const NESTED_TOO_DEEP: OutcomeError = {
  message: `the tool answered with a value nested more than ${MAX_DEPTH} levels deep, which was left out`,
  remedy: "Ask for less, or use another tool.",
};
const TASK_CONTINUES = "It goes on as a task.";
/** The content has the whole message; this copy is repeated in logs and lists. */
const MAX_ERROR_CHARS = 2_000;
/** Per agent; the oldest are removed first. */
const MAX_OUTPUTS = 200;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Makes the outcome of a call and writes its record and its event: exactly once per call, however it ended. */
export function finish(
  call: ToolCall,
  end: CallEnd,
  record: AuditRecord,
  kernel: Kernel,
): ToolOutcome | Promise<ToolOutcome> {
  if (!("toolEnd" in end)) return conclude(call, end.tool, end.draft, record, kernel);
  const tool = end.prepared.tool.name;
  const draft = draftOutcome(end.prepared, end.toolEnd, record, kernel);
  return draft instanceof Promise
    ? draft.then((settled) => conclude(call, tool, settled, record, kernel))
    : conclude(call, tool, draft, record, kernel);
}

function conclude(
  call: ToolCall,
  tool: string | undefined,
  draft: OutcomeDraft,
  record: AuditRecord,
  kernel: Kernel,
): ToolOutcome {
  const callId = record.id;
  // The system clock may have been set back in the meantime.
  const durationMs = Math.max(0, kernel.clock() - record.startedAt);
  const outcome =
    tool === undefined ? { callId, ...draft, durationMs } : { callId, tool, ...draft, durationMs };
  record.end(draft.outcome, durationMs, draft.error?.message ?? null);
  kernel.events.emit("call.ended", {
    callId,
    tool: tool ?? call.name,
    agent: call.caller.agentName,
    outcome: draft.outcome,
    durationMs,
  });
  return outcome;
}

/** Drafts the outcome of a call that ran. What the caller is about to read is labelled first, then enveloped. */
function draftOutcome(
  prepared: PreparedCall,
  { outcome, result }: ToolEnd,
  record: AuditRecord,
  kernel: Kernel,
): OutcomeDraft | Promise<OutcomeDraft> {
  const { tool } = prepared;
  const { caller } = prepared.call;
  const shared = result.kind === "output" ? result.shared : undefined;
  kernel.watchdog.noteRead(caller, tool, shared?.labels);
  const draft = shared
    ? labelShared(caller, tool, shared, kernel).then(() =>
        makeEnvelope(outcome, result, tool, caller, kernel),
      )
    : makeEnvelope(outcome, result, tool, caller, kernel);
  return draft instanceof Promise
    ? draft.then((settled) => bindNextRound(settled, prepared, record, kernel))
    : bindNextRound(draft, prepared, record, kernel);
}

/** An approval of a call also covers its next round. */
function bindNextRound(
  draft: OutcomeDraft,
  { call, tool, args, approvedBy }: PreparedCall,
  record: AuditRecord,
  { approvals }: Kernel,
): OutcomeDraft {
  if (!approvedBy || !draft.asked) return draft;
  const approved = approvals.roundToken(record.id, { tool, args, caller: call.caller, decision: approvedBy });
  return { ...draft, asked: { ...draft.asked, approved } };
}

/**
 * Labels the caller's conversation with the labels of shared content that it reads, and the content it wrote with the
 * conversation's labels.
 */
async function labelShared(
  caller: Caller,
  tool: Tool,
  { gave = [], wrote = [] }: SharedContent,
  { watchdog }: Kernel,
): Promise<void> {
  if (gave.length > 0 && !caller.operator)
    watchdog.noteRead(caller, tool, await watchdog.labelsOfContent(gave));
  if (wrote.length > 0) await watchdog.labelContent(caller, wrote);
}

/** For a call that was cancelled before its tool ran. */
export const NEVER_BEGAN = {
  message: "the call was cancelled by its caller before it began; nothing was done",
};

export function storeUnavailable(): OutcomeDraft {
  return refusal("unavailable", {
    message: "Toolkeep's store cannot be used at the moment, and this call needs it",
    remedy: "Try again later; a person finds the cause in the log.",
  });
}

/** The outcome of a call that never ran, or that has no output of its own. */
export function refusal(outcome: Exclude<OutcomeName, "ok">, error: OutcomeError): OutcomeDraft {
  const whole = error.remedy ? `${error.message}\n${error.remedy}` : error.message;
  return { outcome, content: [text(whole)], text: whole, error, truncated: false };
}

/** Redacts first, then cuts to the host's limits. Synchronous unless something is cut. */
function makeEnvelope(
  outcome: OutcomeName,
  result: ToolResult,
  tool: Tool,
  caller: Caller,
  kernel: Kernel,
): OutcomeDraft | Promise<OutcomeDraft> {
  const redacted = redactResult(result, kernel);
  if (!redacted) return refusal("failed", NESTED_TOO_DEEP);
  const { visible, atLeast, atMost } = redacted;
  const { maxResultChars, maxMessageBytes } = kernel.settings().limits;
  if (visible.kind === "asks" || visible.kind === "task") {
    if (atLeast > maxMessageBytes) return refusal("failed", tooLarge(maxMessageBytes));
    if (visible.kind === "asks") return questionDraft(visible.asked);
    return { outcome, content: [], text: TASK_CONTINUES, task: visible.task, truncated: false };
  }

  const parts = contentOf(visible);
  const whole = textOf(parts);
  // Nearly every result fits, and needs neither exact measuring nor a kept copy.
  if (atMost <= Math.min(maxResultChars, maxMessageBytes))
    return complete({ outcome, content: parts, text: whole, truncated: false }, visible);
  const limits = { maxResultChars, maxMessageBytes, isVerbatim: tool.verbatim === true };
  const keep = async () => (tool.rereads ? undefined : await keepOutput(caller, whole, kernel));
  return cutToLimits(parts, whole, limits, keep).then((cut) =>
    complete({ outcome, ...cut }, visible, limits),
  );
}

interface Limits {
  readonly maxResultChars: number;
  readonly maxMessageBytes: number;
  /** `structured` is passed on whole or not at all. */
  readonly isVerbatim: boolean;
}

/** Adds what a result has besides its content. With `limits`, parts that exceed them are left out. */
function complete(draft: MutableDraft, visible: ToolResult, limits?: Limits): OutcomeDraft {
  const maxStructured = limits && (limits.isVerbatim ? limits.maxMessageBytes : limits.maxResultChars);
  if ("structured" in visible && visible.structured !== undefined) {
    if (isWithin(visible.structured, maxStructured)) draft.structured = visible.structured;
    else if (limits?.isVerbatim) return refusal("failed", tooLarge(limits.maxMessageBytes));
    else draft.truncated = true;
  }
  if ("structuredValue" in visible && visible.structuredValue !== undefined) {
    if (isWithin(visible.structuredValue, maxStructured)) draft.structuredValue = visible.structuredValue;
    else draft.truncated = true;
  }
  if ("meta" in visible && visible.meta !== undefined) {
    if (isWithin(visible.meta, limits?.maxResultChars)) draft.meta = visible.meta;
  }
  if (draft.outcome !== "ok") draft.error = errorOf(visible, draft.text);
  if (visible.kind === "failed" && visible.fault) draft.fault = visible.fault;
  return draft;
}

interface RedactedResult {
  readonly visible: ToolResult;
  /** Bounds of its number of characters. */
  readonly atLeast: number;
  readonly atMost: number;
}

/** Redacts field by field, so that our own field names are never taken for a secret. Undefined: nested too deep. */
function redactResult(result: ToolResult, { vault }: Kernel): RedactedResult | undefined {
  const visible: Record<string, unknown> = { kind: result.kind };
  let atLeast = 0;
  let atMost = 0;
  for (const field in result) {
    if (field === "kind") continue;
    const value = (result as unknown as Record<string, unknown>)[field];
    const changed = changeTexts(value, vault.redact, MAX_DEPTH);
    if (!changed) return undefined;
    visible[field] = changed.value;
    atLeast += changed.atLeast;
    atMost += changed.atMost;
  }
  if (result.kind === "asks") {
    const { inquiries } = visible.asked as InputRequest;
    const { state } = result.asked;
    // Not redacted: the state goes back to the tool that it came from, and to nobody else.
    visible.asked = state === undefined ? { inquiries } : { inquiries, state };
  }
  if (result.kind === "task") visible.task = { ...(visible.task as Task), id: result.task.id };
  return { visible: visible as unknown as ToolResult, atLeast, atMost };
}

/** The tool asks something before it continues. */
function questionDraft(asked: InputRequest): OutcomeDraft {
  const count = Object.keys(asked.inquiries).length;
  const message = `the tool asks ${count === 1 ? "something" : `${count} things`} before it continues`;
  const remedy =
    "Make the same call again, with the answers and with the state that came with the questions.";
  return { ...refusal("needs_input", { message, remedy }), asked };
}

function contentOf(result: ToolResult): readonly Content[] {
  const content = "content" in result && result.content ? result.content : [];
  return content.length === 0 && "message" in result ? [text(result.message)] : content;
}

function isWithin(value: unknown, maxChars: number | undefined): boolean {
  return maxChars === undefined || JSON.stringify(value).length <= maxChars;
}

function tooLarge(maxBytes: number): OutcomeError {
  return {
    message: `the answer is larger than ${maxBytes} bytes, which is as much as can be passed on whole`,
    remedy: "Ask for less, or have a person raise max_message_bytes.",
  };
}

function errorOf(result: ToolResult, fallback: string): OutcomeError {
  const message = ("message" in result ? result.message : fallback).slice(0, MAX_ERROR_CHARS);
  return result.kind === "needs_input"
    ? { message, details: { questionId: result.questionId } }
    : { message };
}

/** What a model reads of a result: its texts, and one line for every block that is not text. */
export function textOf(content: readonly Content[]): string {
  return content.length === 1 ? blockText(content[0]!) : content.map(blockText).join("\n");
}

function blockText(block: Content): string {
  if (typeof block.text === "string") return block.text;
  const resource = block.resource as Record<string, unknown> | undefined;
  if (typeof resource?.text === "string") return resource.text;
  const kind = typeof block.mimeType === "string" ? `${block.type} ${block.mimeType}` : block.type;
  const uri = block.uri ?? resource?.uri;
  return `[${kind}${typeof uri === "string" ? ` ${uri}` : ""}]`;
}

async function cutToLimits(
  content: readonly Content[],
  whole: string,
  { maxResultChars, maxMessageBytes }: Limits,
  keep: () => Promise<ToolOutcome["fullOutput"]>,
): Promise<Pick<OutcomeDraft, "content" | "text" | "truncated" | "fullOutput">> {
  const attachments = content.filter((block) => block.type !== "text");
  const isTooHeavy = attachments.length > 0 && !isWithin(attachments, maxMessageBytes);
  if (whole.length <= maxResultChars && !isTooHeavy) return { content, text: whole, truncated: false };
  const kept = await keep();
  const cut = cutMiddle(whole, maxResultChars, kept?.id);
  const rest = isTooHeavy
    ? [text(`[${attachments.length} attachments left out: larger than ${maxMessageBytes} bytes]`)]
    : attachments;
  return { content: [text(cut), ...rest], text: cut, truncated: true, ...(kept ? { fullOutput: kept } : {}) };
}

/** Keeps the beginning and the end, with a line between them that says what is missing and how to read it. */
function cutMiddle(whole: string, limit: number, id: string | undefined): string {
  if (whole.length <= limit) return whole;
  const headEnd = wholeCharacterAt(whole, Math.floor(limit * 0.75));
  const tailStart = wholeCharacterAt(whole, whole.length - Math.floor(limit * 0.25));
  const missing = `${tailStart - headEnd} of ${whole.length} characters left out`;
  const where = id === undefined ? "" : `; read them with read_tool_output id=${id} offset=${headEnd}`;
  return `${whole.slice(0, headEnd)}\n[… ${missing}${where} …]\n${whole.slice(tailStart)}`;
}

/**
 * Keeps the full text of a cut output for `read_tool_output`, with the labels of its conversation, which has read it by
 * now. Undefined where that fails: a call that worked does not fail because of it.
 */
export async function keepOutput(
  caller: Caller,
  whole: string,
  { outputs, watchdog, clock, newId, log }: KeepDeps,
): Promise<ToolOutcome["fullOutput"]> {
  const { agentId, conversation } = caller;
  const labels = [...watchdog.labels(caller)];
  const kept = { id: newId("out"), chars: whole.length, bytes: Buffer.byteLength(whole) };
  if (kept.bytes > MAX_OUTPUT_BYTES) return undefined;
  const createdAt = clock();
  try {
    await outputs.delete(await outputsToRemove(outputs, agentId, kept.bytes, createdAt - OUTPUT_KEPT_MS));
    await outputs.create({ ...kept, agentId, conversation, createdAt, labels }, whole);
    return kept;
  } catch (error) {
    log.warn({ cause: messageOf(error) }, "executor: failed to keep the full text of a cut output");
    await outputs.delete([kept.id]).catch(() => {});
    return undefined;
  }
}

export interface KeepDeps extends Pick<Kernel, "outputs" | "clock" | "newId"> {
  readonly watchdog: Pick<Kernel["watchdog"], "labels">;
  readonly log: Pick<Kernel["log"], "warn">;
}

/** Outputs that are too old, and the oldest ones that no longer fit once `bytes` more are added. */
async function outputsToRemove(
  outputs: Kernel["outputs"],
  agentId: string,
  bytes: number,
  before: number,
): Promise<readonly string[]> {
  let total = bytes;
  const newestFirst = await outputs.list({ agentId });
  return newestFirst.flatMap((output, index) => {
    total += output.bytes;
    const stays = index < MAX_OUTPUTS - 1 && total <= MAX_OUTPUT_BYTES && output.createdAt >= before;
    return stays ? [] : [output.id];
  });
}
