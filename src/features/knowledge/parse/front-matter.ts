import { parseDocument } from "yaml";
import { isRecord } from "../../../lib/json.ts";
import { tagsOf, timeOf, titleOf } from "./parsed-document.ts";

export interface FrontMatter {
  /** The start of the text after it; 0: there is no front matter. */
  readonly end: number;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly documentAt?: number;
  /** Everything else it says. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

const MAX_CHARS = 16 * 1024;
const MAX_NESTED = 32;
const MAX_METADATA = 8_192;
const NONE: FrontMatter = { end: 0, tags: [], metadata: {} };
const BEGIN = /^---[ \t]*\r?\n/;
const END = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
const TIMES = ["date", "updated", "modified", "created", "published"];

/** Reads the YAML between `---` at the top of a note. Anything that is not YAML is treated as text. */
export function readFrontMatter(text: string): FrontMatter {
  const begin = BEGIN.exec(text.slice(0, 100));
  if (!begin) return NONE;
  const head = text.slice(begin[0].length, begin[0].length + MAX_CHARS);
  const close = END.exec(head);
  if (!close) return NONE;
  const said = parseYaml(head.slice(0, close.index));
  if (said === undefined) return NONE;
  const { title, tags, tag, keywords, ...rest } = said;
  const documentAt = TIMES.map((name) => timeOf(rest[name])).find((time) => time !== undefined);
  return {
    end: begin[0].length + close.index + close[0].length,
    ...(typeof title === "string" && title.trim() !== "" && { title: titleOf(title) }),
    tags: tagsOf([tags, tag, keywords].flatMap(listOf)),
    ...(documentAt !== undefined && { documentAt }),
    metadata: bounded(rest),
  };
}

function parseYaml(source: string): Record<string, unknown> | undefined {
  if (isDeep(source)) return undefined;
  try {
    // Few aliases, because a small text could otherwise expand to a huge value.
    const value: unknown = parseDocument(source, { logLevel: "silent", uniqueKeys: false }).toJS({
      maxAliasCount: 20,
    });
    // A circular value throws.
    return isRecord(value) && JSON.stringify(value) !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Limits the nesting, because the parser recurses for each level and a stack overflow may end the process. Counts brackets in quotes, too. */
function isDeep(source: string): boolean {
  let depth = 0;
  for (const mark of source) {
    if (mark === "[" || mark === "{") depth += 1;
    else if (mark === "]" || mark === "}") depth -= 1;
    if (depth > MAX_NESTED) return true;
  }
  return MANY_MARKS.test(source);
}

const MANY_MARKS = /(?:[-?:][ \t]+){32}/;

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? value.split(/[,\n]/) : value == null ? [] : [value];
}

/** The value as JSON, if it is small. */
function bounded(said: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let left = MAX_METADATA;
  for (const [key, value] of Object.entries(said)) {
    const json = JSON.stringify(value);
    if (json === undefined || json === "[]" || json === "null") continue;
    left -= json.length + key.length;
    if (left < 0) break;
    kept[key] = JSON.parse(json);
  }
  return kept;
}
