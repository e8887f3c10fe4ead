import type { JsonSchema } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import { cleanText, isHiding, isSuspect } from "./clean-text.ts";

/** The longest text of each kind; real definitions stay far below. */
export const MAX_DESCRIPTION = 40_000;
export const MAX_TITLE = 256;
const MAX_PARAMETER_TEXT = 8_000;

/** Keywords that people and models read; all others have a meaning for programs. */
const PROSE = new Set(["description", "title", "$comment", "markdownDescription"]);
/** Keywords with mere suggestions: without one of the values the schema accepts the same. */
const SUGGESTIONS = new Set(["default", "examples", "example"]);
/** Keywords that contain schemas by name. */
const NAMED_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/**
 * Returns the schema with clean texts, or the same object if there was nothing to clean. Leaves out choices that hide
 * something. Returns undefined if hidden text is part of the schema's meaning, such as the name of a property.
 */
export function cleanSchema(schema: JsonSchema): JsonSchema | undefined {
  // A backslash means escaped characters: an escaped line feed or control character would look harmless here.
  const whole = JSON.stringify(schema);
  const isClean = whole.length <= MAX_PARAMETER_TEXT && !whole.includes("\\") && !isSuspect(whole);
  if (isClean || !needsCleaning(schema)) return schema;
  try {
    return cleanValue(schema) as JsonSchema;
  } catch (error) {
    if (error === UNCLEAN) return undefined;
    throw error;
  }
}

const UNCLEAN = Symbol("a part that has a meaning cannot be cleaned");

function needsCleaning(value: unknown): boolean {
  if (typeof value === "string") return value.length > MAX_PARAMETER_TEXT || isSuspect(value);
  if (Array.isArray(value)) return value.some(needsCleaning);
  return (
    isRecord(value) && Object.entries(value).some(([key, item]) => isSuspect(key) || needsCleaning(item))
  );
}

function cleanValue(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(cleanValue);
  if (typeof schema === "string") return requireClean(schema);
  if (!isRecord(schema)) return schema;
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    const part = cleanPart(requireClean(key), value);
    if (part !== undefined) entries.push([key, part]);
  }
  return Object.fromEntries(entries);
}

function cleanPart(key: string, value: unknown): unknown {
  if (PROSE.has(key) && typeof value === "string") return cleanText(value, MAX_PARAMETER_TEXT);
  if (SUGGESTIONS.has(key)) return hidesText(value) ? undefined : value;
  if (key === "enum" && Array.isArray(value)) return cleanChoices(value);
  if (NAMED_SCHEMAS.has(key) && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [requireClean(name), cleanValue(inner)]),
    );
  }
  return cleanValue(value);
}

function cleanChoices(values: readonly unknown[]): readonly unknown[] {
  const clean = values.filter((value) => !hidesText(value));
  if (clean.length === 0 && values.length > 0) throw UNCLEAN;
  return clean;
}

function requireClean(text: string): string {
  if (isHiding(text)) throw UNCLEAN;
  return text;
}

function hidesText(value: unknown): boolean {
  if (typeof value === "string") return isHiding(value);
  if (Array.isArray(value)) return value.some(hidesText);
  return isRecord(value) && Object.entries(value).some(([key, item]) => isHiding(key) || hidesText(item));
}
