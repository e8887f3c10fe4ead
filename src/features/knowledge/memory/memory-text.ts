/** Normalizes memories before they are stored. */
import { ToolkeepError } from "../../../contract/errors.ts";
import { mapTexts, toJsonText } from "../../../lib/json.ts";

const NOT_STORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const MAX_METADATA_CHARS = 4_000;

/** Replaces NUL and unpaired surrogates, which no database can store. */
export function storable(text: string): string {
  return text.replaceAll(NOT_STORABLE, "\uFFFD");
}

/** Normalizes tags: trimmed, lower case, each once. */
export function tagsOf(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""))];
}

export function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/** Applies `safe` to every text in it. Throws BAD_REQUEST if it is too large. */
export function metadataOf(
  metadata: Readonly<Record<string, unknown>>,
  safe: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const size = toJsonText(metadata).length;
  if (size <= MAX_METADATA_CHARS) return mapTexts(metadata, safe);
  throw new ToolkeepError(
    "BAD_REQUEST",
    `metadata may have at most ${MAX_METADATA_CHARS} characters as JSON; it has ${size}`,
  );
}

function plain(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}
