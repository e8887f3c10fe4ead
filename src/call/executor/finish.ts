import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import {
  type Asked,
  type Content,
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
import { OUTPUT_KEPT_MS } from "../../machine/db/tables/calls/output-record.ts";
import type { AuditRecord } from "../audit/call-audit.ts";
import type { Ended, Ending, Kernel, Prepared, Ran } from "./kernel.ts";

type MutableEnding = { -readonly [Field in keyof Ending]: Ending[Field] };

/** Far beyond what any client shows, far below what overflows a stack. */
const MAX_DEPTH = 200;
const NESTED_TOO_DEEP: OutcomeError = {
  message: `the tool answered with a value nested more than ${MAX_DEPTH} levels deep, which was left out`,
  remedy: "Ask for less, or use another tool.",
};
const GOES_ON = "It goes on as a task.";
/** The whole message is in the content; this one is repeated in logs and lists. */
const MAX_ERROR_CHARS = 2_000;
/** Kept outputs of one agent; when there are more, the oldest go. */
const MAX_OUTPUTS = 200;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Makes the outcome of a call, and leaves its record and its event behind: once for every call, however it ended. */
export function finish(
  call: ToolCall,
  ended: Ended,
  record: AuditRecord,
  kernel: Kernel,
): ToolOutcome | Promise<ToolOutcome> {
  if (!("ran" in ended)) return conclude(call, ended.tool, ended.ending, record, kernel);
  const tool = ended.prepared.tool.name;
  const ending = endingOf(ended.prepared, ended.ran, record, kernel);
  return ending instanceof Promise
    ? ending.then((then) => conclude(call, tool, then, record, kernel))
    : conclude(call, tool, ending, record, kernel);
}

function conclude(
  call: ToolCall,
  tool: string | undefined,
  ending: Ending,
  record: AuditRecord,
  kernel: Kernel,
): ToolOutcome {
  const callId = record.id;
  // The clock of the machine may be set back meanwhile.
  const durationMs = Math.max(0, kernel.clock() - record.startedAt);
  const outcome =
    tool === undefined ? { callId, ...ending, durationMs } : { callId, tool, ...ending, durationMs };
  record.end(ending.outcome, durationMs, ending.error?.message ?? null);
  kernel.events.emit("call.ended", {
    callId,
    tool: tool ?? call.name,
    agent: call.caller.agentName,
    outcome: ending.outcome,
    durationMs,
  });
  return outcome;
}

/** The end of a call that ran: what its caller reads is noted first, then it is put into the envelope. */
function endingOf(
  prepared: Prepared,
  { outcome, result }: Ran,
  record: AuditRecord,
  kernel: Kernel,
): Ending | Promise<Ending> {
  const { tool } = prepared;
  const { caller } = prepared.call;
  const shared = result.kind === "output" ? result.shared : undefined;
  kernel.watchdog.read(caller, tool, shared?.labels);
  const ending = shared
    ? noteShared(caller, tool, shared, kernel).then(() => envelope(outcome, result, tool, caller, kernel))
    : envelope(outcome, result, tool, caller, kernel);
  return ending instanceof Promise
    ? ending.then((then) => withRound(then, prepared, record, kernel))
    : withRound(ending, prepared, record, kernel);
}

/** The next round of an approved call is part of what the person approved. */
function withRound(
  ending: Ending,
  { call, tool, args, approvedBy }: Prepared,
  record: AuditRecord,
  { approvals }: Kernel,
): Ending {
  if (!approvedBy || !ending.asked) return ending;
  const approved = approvals.round(record.id, { tool, args, caller: call.caller, decision: approvedBy });
  return { ...ending, asked: { ...ending.asked, approved } };
}

/** Notes the labels of what agents left behind and the caller reads, and gives the caller's to what it wrote for others. */
async function noteShared(
  caller: Caller,
  tool: Tool,
  { gave = [], wrote = [] }: SharedContent,
  { watchdog }: Kernel,
): Promise<void> {
  if (gave.length > 0 && !caller.operator) watchdog.read(caller, tool, await watchdog.labelsOfContent(gave));
  if (wrote.length > 0) await watchdog.wroteContent(caller, wrote);
}

/** For a call that was cancelled before its tool ran. */
export const NEVER_BEGAN = {
  message: "the call was cancelled by its caller before it began; nothing was done",
};

export function storeDown(): Ending {
  return refusal("unavailable", {
    message: "Toolkeep's store cannot be used at the moment, and this call needs it",
    remedy: "Try again later; a person finds the cause in the log.",
  });
}

/** The end of a call that never ran, or ended without output of its own. */
export function refusal(outcome: Exclude<OutcomeName, "ok">, error: OutcomeError): Ending {
  const said = error.remedy ? `${error.message}\n${error.remedy}` : error.message;
  return { outcome, content: [text(said)], text: said, error, truncated: false };
}

/** Secrets out first, then cut to the host's limits. At once, but where something is cut. */
function envelope(
  outcome: OutcomeName,
  result: ToolResult,
  tool: Tool,
  caller: Caller,
  kernel: Kernel,
): Ending | Promise<Ending> {
  const redacted = withoutSecrets(result, kernel);
  if (!redacted) return refusal("failed", NESTED_TOO_DEEP);
  const { visible, atLeast, atMost } = redacted;
  const { maxResultChars, maxMessageBytes } = kernel.settings().limits;
  if (visible.kind === "asks" || visible.kind === "task") {
    if (atLeast > maxMessageBytes) return refusal("failed", tooLarge(maxMessageBytes));
    if (visible.kind === "asks") return asking(visible.asked);
    return { outcome, content: [], text: GOES_ON, task: visible.task, truncated: false };
  }

  const parts = contentOf(visible);
  const whole = textOf(parts);
  // Nearly everything is, and need be neither measured piece by piece nor kept elsewhere.
  if (atMost <= Math.min(maxResultChars, maxMessageBytes))
    return complete({ outcome, content: parts, text: whole, truncated: false }, visible);
  const limits = { maxResultChars, maxMessageBytes, isVerbatim: tool.verbatim === true };
  const keep = async () => (tool.rereads ? undefined : await keepOutput(caller, whole, kernel));
  return withinLimits(parts, whole, limits, keep).then((within) =>
    complete({ outcome, ...within }, visible, limits),
  );
}

interface Limits {
  readonly maxResultChars: number;
  readonly maxMessageBytes: number;
  /** `structured` is passed on whole or not at all. */
  readonly isVerbatim: boolean;
}

/** Adds what a result has beside its content; what is larger than `limits`, where they are there, is left out. */
function complete(ending: MutableEnding, visible: ToolResult, limits?: Limits): Ending {
  const maxStructured = limits && (limits.isVerbatim ? limits.maxMessageBytes : limits.maxResultChars);
  if ("structured" in visible && visible.structured !== undefined) {
    if (isWithin(visible.structured, maxStructured)) ending.structured = visible.structured;
    else if (limits?.isVerbatim) return refusal("failed", tooLarge(limits.maxMessageBytes));
    else ending.truncated = true;
  }
  if ("structuredValue" in visible && visible.structuredValue !== undefined) {
    if (isWithin(visible.structuredValue, maxStructured)) ending.structuredValue = visible.structuredValue;
    else ending.truncated = true;
  }
  if ("meta" in visible && visible.meta !== undefined) {
    if (isWithin(visible.meta, limits?.maxResultChars)) ending.meta = visible.meta;
  }
  if (ending.outcome !== "ok") ending.error = errorOf(visible, ending.text);
  if (visible.kind === "failed" && visible.fault) ending.fault = visible.fault;
  return ending;
}

interface Redacted {
  readonly visible: ToolResult;
  /** How many characters it has, at least and at most. */
  readonly atLeast: number;
  readonly atMost: number;
}

/** Field by field: our own names for them are nobody's secret. Undefined where it nests too deep. */
function withoutSecrets(result: ToolResult, { vault }: Kernel): Redacted | undefined {
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
    const { inquiries } = visible.asked as Asked;
    const { state } = result.asked;
    // The state goes back to where it came from, and to nobody else.
    visible.asked = state === undefined ? { inquiries } : { inquiries, state };
  }
  if (result.kind === "task") visible.task = { ...(visible.task as Task), id: result.task.id };
  return { visible: visible as unknown as ToolResult, atLeast, atMost };
}

/** The tool wants to know something first. */
function asking(asked: Asked): Ending {
  const count = Object.keys(asked.inquiries).length;
  const message = `the tool asks ${count === 1 ? "something" : `${count} things`} before it goes on`;
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

function errorOf(result: ToolResult, said: string): OutcomeError {
  const message = ("message" in result ? result.message : said).slice(0, MAX_ERROR_CHARS);
  return result.kind === "needs_input"
    ? { message, details: { questionId: result.questionId } }
    : { message };
}

/** What a model reads of a result: its texts, and one line for everything that is not text. */
export function textOf(content: readonly Content[]): string {
  return content.length === 1 ? blockText(content[0]!) : content.map(blockText).join("\n");
}

function blockText(block: Content): string {
  if (typeof block.text === "string") return block.text;
  const resource = block.resource as Record<string, unknown> | undefined;
  if (typeof resource?.text === "string") return resource.text;
  const kind = typeof block.mimeType === "string" ? `${block.type} ${block.mimeType}` : block.type;
  const place = block.uri ?? resource?.uri;
  return `[${kind}${typeof place === "string" ? ` ${place}` : ""}]`;
}

async function withinLimits(
  content: readonly Content[],
  whole: string,
  { maxResultChars, maxMessageBytes }: Limits,
  keep: () => Promise<ToolOutcome["fullOutput"]>,
): Promise<Pick<Ending, "content" | "text" | "truncated" | "fullOutput">> {
  const attachments = content.filter((block) => block.type !== "text");
  const tooHeavy = attachments.length > 0 && !isWithin(attachments, maxMessageBytes);
  if (whole.length <= maxResultChars && !tooHeavy) return { content, text: whole, truncated: false };
  const kept = await keep();
  const cut = headAndTail(whole, maxResultChars, kept?.id);
  const rest = tooHeavy
    ? [text(`[${attachments.length} attachments left out: larger than ${maxMessageBytes} bytes]`)]
    : attachments;
  return { content: [text(cut), ...rest], text: cut, truncated: true, ...(kept ? { fullOutput: kept } : {}) };
}

/** The beginning and the end, with a line between that says what is missing and how to read it. */
function headAndTail(whole: string, limit: number, id: string | undefined): string {
  if (whole.length <= limit) return whole;
  const headEnd = wholeCharacterAt(whole, Math.floor(limit * 0.75));
  const tailStart = wholeCharacterAt(whole, whole.length - Math.floor(limit * 0.25));
  const missing = `${tailStart - headEnd} of ${whole.length} characters left out`;
  const where = id === undefined ? "" : `; read them with read_tool_output id=${id} offset=${headEnd}`;
  return `${whole.slice(0, headEnd)}\n[… ${missing}${where} …]\n${whole.slice(tailStart)}`;
}

/**
 * Keeps the whole of an output that was cut, for `read_tool_output`, with the labels of its conversation, which has read
 * it by now. Undefined where it could not be kept: a call that worked does not fail by it.
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
    log.warn({ cause: messageOf(error) }, "the whole of a cut output could not be kept");
    await outputs.delete([kept.id]).catch(() => {});
    return undefined;
  }
}

export interface KeepDeps extends Pick<Kernel, "outputs" | "clock" | "newId"> {
  readonly watchdog: Pick<Kernel["watchdog"], "labels">;
  readonly log: Pick<Kernel["log"], "warn">;
}

/** What is too old, and what no longer fits when `bytes` more come. */
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
