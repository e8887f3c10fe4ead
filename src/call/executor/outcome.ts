import {
  type Asked,
  type Content,
  type OutcomeError,
  type OutcomeName,
  type Task,
  type ToolOutcome,
  type ToolResult,
  text,
} from "../../contract/tool.ts";
import { changeTexts } from "../../lib/text/change-texts.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";

export interface OutputLimits {
  readonly maxResultChars: number;
  readonly maxMessageBytes: number;
}

export interface EnvelopeDeps {
  readonly limits: OutputLimits;
  readonly redact: (text: string) => string;
  /** `structured` is passed on whole or not at all. */
  readonly verbatim: boolean;
  /** Keeps the whole text where the caller can read it; undefined when it could not be kept. */
  readonly keep: (whole: string) => Promise<ToolOutcome["fullOutput"]>;
}

/** An envelope before its call id, tool and duration are known. */
export type Ending = Omit<ToolOutcome, "callId" | "tool" | "durationMs">;

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

/** The end of a call that never ran, or ended without output of its own. */
export function refusal(outcome: Exclude<OutcomeName, "ok">, error: OutcomeError): Ending {
  const said = error.remedy ? `${error.message}\n${error.remedy}` : error.message;
  return { outcome, content: [text(said)], text: said, error, truncated: false };
}

/** The end of a call that ran: secrets out first, then cut to the host's limits. */
export function envelope(
  outcome: OutcomeName,
  result: ToolResult,
  deps: EnvelopeDeps,
): Ending | Promise<Ending> {
  const taken = withoutSecrets(result, deps.redact);
  if (!taken) return refusal("failed", NESTED_TOO_DEEP);
  const { shown, atLeast, atMost } = taken;
  const { maxResultChars, maxMessageBytes } = deps.limits;
  if (shown.kind === "asks") {
    return atLeast > maxMessageBytes ? refusal("failed", tooLarge(maxMessageBytes)) : asking(shown.asked);
  }
  if (shown.kind === "task") {
    return atLeast > maxMessageBytes
      ? refusal("failed", tooLarge(maxMessageBytes))
      : { outcome, content: [], text: GOES_ON, task: shown.task, truncated: false };
  }

  const parts = contentOf(shown);
  const whole = textOf(parts);
  // Nearly everything is, and need be neither measured piece by piece nor kept elsewhere.
  if (atMost <= Math.min(maxResultChars, maxMessageBytes)) {
    return complete({ outcome, content: parts, text: whole, truncated: false }, shown);
  }
  return withinLimits(parts, whole, deps).then((fitting) => complete({ outcome, ...fitting }, shown, deps));
}

/** Adds what a result has beside its content; what is larger than `deps` allow, where they are there, is left out. */
function complete(ending: MutableEnding, shown: ToolResult, deps?: EnvelopeDeps): Ending {
  if ("structured" in shown && shown.structured !== undefined) {
    if (!deps || isWithin(shown.structured, structuredLimit(deps))) ending.structured = shown.structured;
    else if (deps.verbatim) return refusal("failed", tooLarge(deps.limits.maxMessageBytes));
    else ending.truncated = true;
  }
  if ("structuredValue" in shown && shown.structuredValue !== undefined) {
    if (!deps || isWithin(shown.structuredValue, structuredLimit(deps)))
      ending.structuredValue = shown.structuredValue;
    else ending.truncated = true;
  }
  if ("meta" in shown && shown.meta !== undefined) {
    if (!deps || isWithin(shown.meta, deps.limits.maxResultChars)) ending.meta = shown.meta;
  }
  if (ending.outcome !== "ok") ending.error = errorOf(shown, ending.text);
  if (shown.kind === "failed" && shown.fault) ending.fault = shown.fault;
  return ending;
}

function structuredLimit({ verbatim, limits }: EnvelopeDeps): number {
  return verbatim ? limits.maxMessageBytes : limits.maxResultChars;
}

interface Taken {
  readonly shown: ToolResult;
  readonly atLeast: number;
  readonly atMost: number;
}

/** Field by field: our own names for them are nobody's secret. Undefined where it nests too deep. */
function withoutSecrets(result: ToolResult, redact: (text: string) => string): Taken | undefined {
  const shown: Record<string, unknown> = { kind: result.kind };
  let atLeast = 0;
  let atMost = 0;
  for (const field in result) {
    if (field === "kind") continue;
    const value = (result as unknown as Record<string, unknown>)[field];
    const changed = changeTexts(value, redact, MAX_DEPTH);
    if (!changed) return undefined;
    shown[field] = changed.value;
    atLeast += changed.atLeast;
    atMost += changed.atMost;
  }
  if (result.kind === "asks") {
    const { inquiries } = shown.asked as Asked;
    const { state } = result.asked;
    // The state goes back to where it came from, and to nobody else.
    shown.asked = state === undefined ? { inquiries } : { inquiries, state };
  }
  if (result.kind === "task") shown.task = { ...(shown.task as Task), id: result.task.id };
  return { shown: shown as unknown as ToolResult, atLeast, atMost };
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

function isWithin(value: unknown, maxChars: number): boolean {
  return JSON.stringify(value).length <= maxChars;
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
  deps: EnvelopeDeps,
): Promise<Pick<Ending, "content" | "text" | "truncated" | "fullOutput">> {
  const { maxResultChars, maxMessageBytes } = deps.limits;
  const attachments = content.filter((block) => block.type !== "text");
  const tooHeavy = attachments.length > 0 && !isWithin(attachments, maxMessageBytes);
  if (whole.length <= maxResultChars && !tooHeavy) return { content, text: whole, truncated: false };
  const kept = await deps.keep(whole);
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
