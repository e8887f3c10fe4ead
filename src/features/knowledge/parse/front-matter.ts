import { parseDocument } from "yaml";
import { isRecord } from "../../../lib/json.ts";
import { tagsOf, timeOf, titleOf } from "./parsed-document.ts";

export interface FrontMatter {
  /** Where the text behind it begins; 0: there is none. */
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

/** What a note says about itself between `---` at its top. What is no YAML is taken for text. */
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
    // Few aliases: a small text could ask for a large value.
    const value: unknown = parseDocument(source, { logLevel: "silent", uniqueKeys: false }).toJS({
      maxAliasCount: 20,
    });
    // One that holds itself throws.
    return isRecord(value) && JSON.stringify(value) !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The parser calls itself for each level: where the stack ends, so may the process. Brackets in quotes count, too. */
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

/** As JSON, as far as it is small. */
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
