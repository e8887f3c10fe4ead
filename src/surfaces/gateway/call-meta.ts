import type { CallMeta } from "../../contract/tool.ts";
import { extentOf, isRecord } from "../../lib/json.ts";
import type { Params } from "./messages.ts";

const MAX_KEYS = 64;
/** Of keys and texts, each value beside counted as some; what goes beyond is left out, key by key. */
const MAX_CHARS = 16_384;
const CHARS_A_VALUE = 8;
const MAX_DEPTH = 20;

/** About one connection, or said to Toolkeep. */
const OWN = ["progressToken", "__proto__"];
const OWN_PREFIXES = ["toolkeep/", "io.modelcontextprotocol/"];

/** What of a request's `_meta` its server should get; undefined where that is nothing. */
export function passedOn({ _meta }: Params): CallMeta | undefined {
  if (!isRecord(_meta)) return undefined;
  let passed: Record<string, unknown> | undefined;
  let keys = 0;
  let chars = 0;
  for (const key in _meta) {
    if (isOwn(key)) continue;
    if (++keys > MAX_KEYS) break;
    const extent = extentOf(_meta[key], MAX_DEPTH);
    const length = key.length + extent.chars + extent.size * CHARS_A_VALUE;
    if (extent.tooDeep || chars + length > MAX_CHARS) continue;
    chars += length;
    passed ??= {};
    passed[key] = _meta[key];
  }
  return passed;
}

function isOwn(key: string): boolean {
  return OWN.includes(key) || OWN_PREFIXES.some((prefix) => key.startsWith(prefix));
}
