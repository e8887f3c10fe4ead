import type { JsonSchema } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import { cleanText, isHiding, isSuspect } from "./clean-text.ts";

/** The longest of each kind of text; real definitions stay far below. */
export const MAX_DESCRIPTION = 40_000;
export const MAX_TITLE = 256;
const MAX_PARAMETER_TEXT = 8_000;

/** What people and models read; everything else in a schema means something to programs. */
const PROSE = new Set(["description", "title", "$comment", "markdownDescription"]);
/** Values that are only offered: without one of them the schema still says what fits. */
const OFFERED = new Set(["default", "examples", "example"]);
/** What names other schemas by keys of its own. */
const NAMED_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/**
 * The same schema with clean texts, the same object where there was nothing to clean. Choices that hide something are
 * left out. Undefined where what is hidden is part of its meaning, such as the name of a property.
 */
export function cleanSchema(schema: JsonSchema): JsonSchema | undefined {
  // Where something is escaped, a line feed or a control character would look like ordinary ones.
  const whole = JSON.stringify(schema);
  const isClean = whole.length <= MAX_PARAMETER_TEXT && !whole.includes("\\") && !isSuspect(whole);
  if (isClean || !needsCleaning(schema)) return schema;
  try {
    return cleaned(schema) as JsonSchema;
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

function cleaned(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(cleaned);
  if (typeof schema === "string") return meant(schema);
  if (!isRecord(schema)) return schema;
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    const part = cleanPart(meant(key), value);
    if (part !== undefined) entries.push([key, part]);
  }
  return Object.fromEntries(entries);
}

function cleanPart(key: string, value: unknown): unknown {
  if (PROSE.has(key) && typeof value === "string") return cleanText(value, MAX_PARAMETER_TEXT);
  if (OFFERED.has(key)) return hides(value) ? undefined : value;
  if (key === "enum" && Array.isArray(value)) return choices(value);
  if (NAMED_SCHEMAS.has(key) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [meant(name), cleaned(inner)]));
  }
  return cleaned(value);
}

function choices(values: readonly unknown[]): readonly unknown[] {
  const clean = values.filter((value) => !hides(value));
  if (clean.length === 0 && values.length > 0) throw UNCLEAN;
  return clean;
}

function meant(text: string): string {
  if (isHiding(text)) throw UNCLEAN;
  return text;
}

function hides(value: unknown): boolean {
  if (typeof value === "string") return isHiding(value);
  if (Array.isArray(value)) return value.some(hides);
  return isRecord(value) && Object.entries(value).some(([key, item]) => isHiding(key) || hides(item));
}
