import type { ToolOutcome } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { storableText } from "../parse/decode.ts";
import { compareKeys } from "./compare-keys.ts";
import type { FoundFile, Scanned } from "./scan-folder.ts";

/** Calls a tool of a plugin like any other tool and returns its JSON answer; an error says why there is none. */
export type CallSourceTool = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Result<unknown, string>>;

/** A document as a plugin gives it. */
export interface PluginDocument {
  readonly text: string;
  readonly title: string;
  readonly format: "markdown" | "text" | "html";
  readonly tags: readonly unknown[];
  readonly uri: string | undefined;
  readonly updatedAt: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The two tools that make a plugin a source. */
export const LIST_TOOL = "list_documents";
export const READ_TOOL = "read_document";

const MAX_DOCUMENTS = 50_000;
const MAX_PAGES = 5_000;
const MAX_KEY = 1_000;
const MAX_TEXT = 4_000_000;
const MAX_METADATA = 8_192;

/**
 * Lists the documents of a plugin in key order. A page is `{documents: [{key, updated_at?, version?}], next_cursor?}`. Throws
 * if the plugin does not answer, so that no document is treated as deleted.
 */
export async function* scanPlugin(
  prefix: string,
  call: CallSourceTool,
  signal: AbortSignal,
): AsyncGenerator<Scanned> {
  const found = new Map<string, FoundFile>();
  let isSorted = true;
  let last = "";
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await call(`${prefix}${LIST_TOOL}`, cursor === undefined ? {} : { cursor }, signal);
    if (!answer.ok) throw new Error(answer.error);
    const { value } = answer;
    if (!isRecord(value) || !Array.isArray(value.documents))
      throw new Error(`${LIST_TOOL} has to answer {documents: [{key, updated_at}], next_cursor}`);
    for (const listed of value.documents) {
      const file = fileOf(listed);
      if (!file || found.has(file.key)) continue;
      if (found.size >= MAX_DOCUMENTS) throw new Error(`a plugin lists at most ${MAX_DOCUMENTS} documents`);
      isSorted &&= compareKeys(last, file.key) < 0;
      last = file.key;
      found.set(file.key, file);
    }
    cursor = typeof value.next_cursor === "string" ? value.next_cursor : undefined;
    if (cursor === undefined) break;
  }
  const files = [...found.values()];
  yield* isSorted ? files : files.sort((one, other) => compareKeys(one.key, other.key));
}

/** Reads one document from a plugin; an error says what is wrong with it. */
export async function readPlugin(
  prefix: string,
  key: string,
  call: CallSourceTool,
  signal: AbortSignal,
): Promise<Result<PluginDocument, string>> {
  const answer = await call(`${prefix}${READ_TOOL}`, { key }, signal);
  if (!answer.ok) return answer;
  const { value } = answer;
  if (!isRecord(value) || typeof value.text !== "string")
    return {
      ok: false,
      error: `${READ_TOOL} has to answer {title, text, format, tags, uri, updated_at, metadata}`,
    };
  const { title, format, tags, uri, metadata } = value;
  return {
    ok: true,
    value: {
      text: storableText(value.text.slice(0, MAX_TEXT)),
      title: typeof title === "string" ? storableText(title) : "",
      format: format === "html" || format === "text" ? format : "markdown",
      tags: Array.isArray(tags) ? tags : [],
      uri: typeof uri === "string" ? storableText(uri.slice(0, 2_000)) : undefined,
      updatedAt: value.updated_at,
      metadata: isRecord(metadata) && JSON.stringify(metadata).length <= MAX_METADATA ? metadata : {},
    },
  };
}

function fileOf(listed: unknown): FoundFile | undefined {
  if (!isRecord(listed) || typeof listed.key !== "string" || listed.key === "" || listed.key.length > MAX_KEY)
    return undefined;
  const key = storableText(listed.key);
  const { updated_at: updatedAt, version } = listed;
  const time = typeof updatedAt === "number" ? updatedAt : Date.parse(String(updatedAt));
  return {
    ...{ kind: "file", key, path: key, type: "text" },
    modifiedAt: Number.isFinite(time) ? Math.floor(time) : 0,
    // A changed version counts as a change, too, if the plugin knows no times.
    size: typeof version === "string" || typeof version === "number" ? numberOf(String(version)) : 0,
  };
}

/** FNV-1a. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Reads the answer of such a tool. */
export function sourceAnswer({
  outcome,
  structured,
  text,
  truncated,
  error,
}: ToolOutcome): Result<unknown, string> {
  if (outcome !== "ok") return err(error?.message ?? `the call ended as ${outcome}`);
  if (truncated) return err("its answer is longer than max_result_chars");
  if (structured) return ok(structured);
  try {
    return ok(JSON.parse(text));
  } catch {
    return err("its answer is not JSON");
  }
}
