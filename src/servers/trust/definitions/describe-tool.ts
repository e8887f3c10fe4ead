import type { Capability, JsonSchema, ToolFlags } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import { cleanSchema, MAX_DESCRIPTION, MAX_TITLE } from "./clean-schema.ts";
import { cleanText } from "./clean-text.ts";
import { deriveCapabilities, soundsDestructive } from "./derive-capabilities.ts";

/** The content of a tool definition, cleaned so that models may see it. */
export interface ToolDetails {
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly warning: string | undefined;
  readonly published: Readonly<Record<string, unknown>>;
  readonly flags: ToolFlags;
  /** True only if a trusted server says so. */
  readonly isRepeatable: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The capabilities of a tool, as far as its definition reveals them. */
export function readCapabilities(name: string, definition: Fields, trusted: boolean): readonly Capability[] {
  const { inputSchema } = definition;
  const annotations = isRecord(definition.annotations) ? definition.annotations : {};
  const title = asText(definition.title) ?? asText(annotations.title);
  const description = asText(definition.description) ?? "";
  return deriveCapabilities({ name, title, description, inputSchema, annotations }, trusted);
}

export function describeTool(definition: Fields, trusted: boolean): ToolDetails {
  const annotations = isRecord(definition.annotations) ? definition.annotations : {};
  const title = asText(definition.title) ?? asText(annotations.title);
  const description = asText(definition.description) ?? "";
  const { inputSchema, warning } = chooseSchema(definition.inputSchema);
  const isDestructive = soundsDestructive({ name: asText(definition.name) ?? "", description });
  const flags = deriveFlags(annotations, trusted, isDestructive);
  return {
    title: title && cleanText(title, MAX_TITLE),
    description: cleanText(description, MAX_DESCRIPTION),
    inputSchema,
    outputSchema: isRecord(definition.outputSchema) ? cleanSchema(definition.outputSchema) : undefined,
    warning,
    published: pickPublished(definition, annotations),
    flags,
    isRepeatable: flags.readOnly || (trusted && annotations.idempotentHint === true),
  };
}

const PUBLISHED_FIELDS = ["title", "annotations", "icons", "_meta"];

const ANY_OBJECT: JsonSchema = { type: "object" };
const NO_OBJECT_SCHEMA = "its schema is not one of an object, so it accepts any object";
const HIDING_SCHEMA = "its schema hides text in what it means, so it is not shown and it accepts any object";

const READING: ToolFlags = { readOnly: true, concurrencySafe: true, destructive: false };
const CHANGING: ToolFlags = { readOnly: false, concurrencySafe: false, destructive: false };
const DESTROYING: ToolFlags = { ...CHANGING, destructive: true };

/**
 * Accepts a hint that tightens from any server, and one that loosens only from a trusted server. Without an accepted hint
 * the tool's wording decides.
 */
function deriveFlags(annotations: Fields, trusted: boolean, looksDestructive: boolean): ToolFlags {
  const { readOnlyHint, destructiveHint } = annotations;
  const isRuledOut = trusted && (readOnlyHint === true || destructiveHint === false);
  const destructive = destructiveHint === true || (looksDestructive && !isRuledOut);
  const readOnly = trusted && readOnlyHint === true && !destructive;
  return readOnly ? READING : destructive ? DESTROYING : CHANGING;
}

function chooseSchema(published: unknown): { inputSchema: JsonSchema; warning: string | undefined } {
  const schema = asObjectSchema(published);
  if (!schema) return { inputSchema: ANY_OBJECT, warning: NO_OBJECT_SCHEMA };
  const clean = cleanSchema(schema);
  return clean
    ? { inputSchema: clean, warning: undefined }
    : { inputSchema: ANY_OBJECT, warning: HIDING_SCHEMA };
}

/** Accepts schemas without a type, which some servers publish. */
function asObjectSchema(schema: unknown): JsonSchema | undefined {
  if (!isRecord(schema)) return undefined;
  if (schema.type === undefined) return { ...schema, type: "object" };
  return schema.type === "object" ? schema : undefined;
}

/** Passes fields on unchanged, except titles, which models read. */
function pickPublished(definition: Fields, annotations: Fields): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const field of PUBLISHED_FIELDS)
    if (definition[field] !== undefined) fields[field] = definition[field];
  if (typeof fields.title === "string") fields.title = cleanText(fields.title, MAX_TITLE);
  const { title } = annotations;
  const cleanTitle = typeof title === "string" ? cleanText(title, MAX_TITLE) : title;
  if (cleanTitle !== title) fields.annotations = { ...annotations, title: cleanTitle };
  return fields;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
