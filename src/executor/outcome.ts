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
  const raw = "content" in result && result.content ? result.content : [];
  const content = redacted(raw, deps.redact);
  const structured = "structured" in result ? redacted(result.structured, deps.redact) : undefined;
  const error = "message" in result ? { message: deps.redact(result.message) } : undefined;
  const parts = content.length > 0 || !error ? content : [text(error.message)];
  const whole = textOf(parts);
  const fitting = await withinLimits(parts, whole, deps);
  const small = structured !== undefined && JSON.stringify(structured).length <= deps.limits.maxResultChars;
  return {
    outcome,
    ...fitting,
    ...(structured !== undefined && small ? { structured } : {}),
    ...("meta" in result && result.meta ? { meta: result.meta } : {}),
    ...(outcome === "ok" ? {} : { error: error ?? { message: fitting.text.slice(0, 1_000) } }),
    truncated: fitting.truncated || (structured !== undefined && !small),
  };
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

function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === "string") return redact(value) as T;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, redact)])) as T;
}
