import { extentOf, mapTexts } from "../lib/json.ts";
import {
  type Content,
  type OutcomeError,
  type OutcomeName,
  type ToolOutcome,
  type ToolResult,
  text,
} from "../tool.ts";

export interface OutputLimits {
  readonly maxResultChars: number;
  readonly maxMessageBytes: number;
}

export interface EnvelopeDeps {
  readonly limits: OutputLimits;
  readonly redact: (text: string) => string;
  /** Keeps the whole text where the caller can read it; undefined when it could not be kept. */
  readonly keep: (whole: string) => Promise<{ path: string; bytes: number } | undefined>;
}

/** An envelope before its call id, tool and duration are known. */
export type Ending = Pick<
  ToolOutcome,
  "outcome" | "content" | "structured" | "meta" | "text" | "error" | "truncated" | "fullOutput"
>;

/** Far beyond what any client shows, far below what overflows a stack. */
const MAX_DEPTH = 200;
const NESTED_TOO_DEEP: OutcomeError = {
  message: `the tool answered with a value nested more than ${MAX_DEPTH} levels deep, which was left out`,
  remedy: "Ask for less, or use another tool.",
};
/** The whole message is in the content; this one is repeated in logs and lists. */
const MAX_ERROR_CHARS = 2_000;

/** The end of a call that never ran, or ended without output of its own. */
export function refusal(outcome: Exclude<OutcomeName, "ok">, error: OutcomeError): Ending {
  const said = error.remedy ? `${error.message}\n${error.remedy}` : error.message;
  return { outcome, content: [text(said)], text: said, error, truncated: false };
}

/** The end of a call that ran: secrets out first, then cut to the host's limits. */
export async function envelope(
  outcome: OutcomeName,
  result: ToolResult,
  deps: EnvelopeDeps,
): Promise<Ending> {
  if (extentOf(result, MAX_DEPTH).tooDeep) return refusal("failed", NESTED_TOO_DEEP);
  const raw = "content" in result && result.content ? result.content : [];
  const content = mapTexts(raw, deps.redact);
  const structured = "structured" in result ? mapTexts(result.structured, deps.redact) : undefined;
  const meta = "meta" in result ? mapTexts(result.meta, deps.redact) : undefined;
  const message = "message" in result ? deps.redact(result.message) : undefined;
  const parts = content.length > 0 || message === undefined ? content : [text(message)];
  const whole = textOf(parts);
  const fitting = await withinLimits(parts, whole, deps);
  const isSmall = (value: unknown) => JSON.stringify(value).length <= deps.limits.maxResultChars;
  const tooLarge = structured !== undefined && !isSmall(structured);
  return {
    outcome,
    ...fitting,
    ...(structured !== undefined && !tooLarge ? { structured } : {}),
    ...(meta !== undefined && isSmall(meta) ? { meta } : {}),
    ...(outcome === "ok" ? {} : { error: errorOf(result, message ?? fitting.text) }),
    truncated: fitting.truncated || tooLarge,
  };
}

function errorOf(result: ToolResult, message: string): OutcomeError {
  const details = result.kind === "needs_input" ? { details: { questionId: result.questionId } } : {};
  return { message: message.slice(0, MAX_ERROR_CHARS), ...details };
}

/** What a model reads of a result: its texts, and one line for everything that is not text. */
export function textOf(content: readonly Content[]): string {
  return content.map(blockText).join("\n");
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
): Promise<
  Pick<Ending, "content" | "text" | "truncated"> & { fullOutput?: { path: string; bytes: number } }
> {
  const { maxResultChars, maxMessageBytes } = deps.limits;
  const attachments = content.filter((block) => block.type !== "text");
  const tooHeavy = JSON.stringify(attachments).length > maxMessageBytes;
  if (whole.length <= maxResultChars && !tooHeavy) return { content, text: whole, truncated: false };
  const kept = await deps.keep(whole);
  const cut = headAndTail(whole, maxResultChars, kept?.path);
  const rest = tooHeavy
    ? [text(`[${attachments.length} attachments left out: larger than ${maxMessageBytes} bytes]`)]
    : attachments;
  return { content: [text(cut), ...rest], text: cut, truncated: true, ...(kept ? { fullOutput: kept } : {}) };
}

/** The beginning and the end, with a line between that says what is missing and where it is. */
function headAndTail(whole: string, limit: number, path: string | undefined): string {
  if (whole.length <= limit) return whole;
  const head = whole.slice(0, Math.floor(limit * 0.75));
  const tail = whole.slice(whole.length - Math.floor(limit * 0.25));
  const where = path ? `; read all of it with read_file ${path}` : "";
  return `${head}\n[… ${whole.length - head.length - tail.length} of ${whole.length} characters left out${where} …]\n${tail}`;
}
