import type { Capability, JsonSchema, ToolFlags } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import { cleanSchema, MAX_DESCRIPTION, MAX_TITLE } from "./clean-schema.ts";
import { cleanText } from "./clean-text.ts";
import { deriveCapabilities, saysItDestroys } from "./derive-capabilities.ts";

/** What a definition says about a tool, as far as it may be shown to models. */
export interface ToolDetails {
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly warning: string | undefined;
  readonly published: Readonly<Record<string, unknown>>;
  readonly flags: ToolFlags;
  /** A trusted server says so. */
  readonly isRepeatable: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a tool can do, as far as its definition tells. */
export function capabilitiesOf(name: string, definition: Fields, trusted: boolean): readonly Capability[] {
  const { inputSchema } = definition;
  const annotations = isRecord(definition.annotations) ? definition.annotations : {};
  const title = textOf(definition.title) ?? textOf(annotations.title);
  const description = textOf(definition.description) ?? "";
  return deriveCapabilities({ name, title, description, inputSchema, annotations }, trusted);
}

export function describeTool(definition: Fields, trusted: boolean): ToolDetails {
  const annotations = isRecord(definition.annotations) ? definition.annotations : {};
  const title = textOf(definition.title) ?? textOf(annotations.title);
  const description = textOf(definition.description) ?? "";
  const { inputSchema, warning } = usableSchema(definition.inputSchema);
  const says = saysItDestroys({ name: textOf(definition.name) ?? "", description });
  const flags = flagsOf(annotations, trusted, says);
  return {
    title: title && cleanText(title, MAX_TITLE),
    description: cleanText(description, MAX_DESCRIPTION),
    inputSchema,
    outputSchema: isRecord(definition.outputSchema) ? cleanSchema(definition.outputSchema) : undefined,
    warning,
    published: passedOn(definition, annotations),
    flags,
    isRepeatable: flags.readOnly || (trusted && annotations.idempotentHint === true),
  };
}

const PASSED_ON = ["title", "annotations", "icons", "_meta"];

const ANY_OBJECT: JsonSchema = { type: "object" };
const NO_OBJECT_SCHEMA = "its schema is not one of an object, so it accepts any object";
const HIDING_SCHEMA = "its schema hides text in what it means, so it is not shown and it accepts any object";

const READING: ToolFlags = { readOnly: true, concurrencySafe: true, destructive: false };
const CHANGING: ToolFlags = { readOnly: false, concurrencySafe: false, destructive: false };
const DESTROYING: ToolFlags = { ...CHANGING, destructive: true };

/**
 * A hint that tightens is believed from anyone, one that loosens only from a trusted server. Without one that is believed, what
 * its words say counts.
 */
function flagsOf(annotations: Fields, trusted: boolean, saysItDestroys: boolean): ToolFlags {
  const { readOnlyHint, destructiveHint } = annotations;
  const isDenied = trusted && (readOnlyHint === true || destructiveHint === false);
  const destructive = destructiveHint === true || (saysItDestroys && !isDenied);
  const readOnly = trusted && readOnlyHint === true && !destructive;
  return readOnly ? READING : destructive ? DESTROYING : CHANGING;
}

function usableSchema(published: unknown): { inputSchema: JsonSchema; warning: string | undefined } {
  const schema = objectSchema(published);
  if (!schema) return { inputSchema: ANY_OBJECT, warning: NO_OBJECT_SCHEMA };
  const clean = cleanSchema(schema);
  return clean
    ? { inputSchema: clean, warning: undefined }
    : { inputSchema: ANY_OBJECT, warning: HIDING_SCHEMA };
}

/** Some servers leave the type out where they list properties. */
function objectSchema(schema: unknown): JsonSchema | undefined {
  if (!isRecord(schema)) return undefined;
  if (schema.type === undefined) return { ...schema, type: "object" };
  return schema.type === "object" ? schema : undefined;
}

/** As it was published; only a title is something that models read. */
function passedOn(definition: Fields, annotations: Fields): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const field of PASSED_ON) if (definition[field] !== undefined) fields[field] = definition[field];
  if (typeof fields.title === "string") fields.title = cleanText(fields.title, MAX_TITLE);
  const { title } = annotations;
  const shown = typeof title === "string" ? cleanText(title, MAX_TITLE) : title;
  if (shown !== title) fields.annotations = { ...annotations, title: shown };
  return fields;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
