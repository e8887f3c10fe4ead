/** Builds form fields from a tool's JSON Schema. The schema is untrusted: nothing about its shape is certain. */

export type Scalar = string | number | boolean | null;

interface FieldBase {
  /** The key in its object; "" for the root and for list items. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  /** The schema's default. */
  readonly initial: unknown;
}

export type Field = FieldBase &
  (
    | {
        readonly kind: "text";
        readonly isMultiline: boolean;
        readonly isSecret: boolean;
        readonly min: number;
        readonly max: number;
      }
    | { readonly kind: "number"; readonly isInteger: boolean; readonly min: number; readonly max: number }
    | { readonly kind: "boolean" }
    | { readonly kind: "choice"; readonly options: readonly Scalar[] }
    | { readonly kind: "group"; readonly fields: readonly Field[] }
    | { readonly kind: "list"; readonly item: Field; readonly min: number; readonly max: number }
    /** No form control fits: the value is entered as JSON. */
    | { readonly kind: "json"; readonly reason: string }
  );

export type GroupField = Extract<Field, { kind: "group" }>;

/** Input that is not valid JSON yet. */
export interface Unparsed {
  readonly unparsed: string;
}

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 6;
const MAX_FIELDS = 200;
const MAX_OPTIONS = 500;
const ABSENT: unique symbol = Symbol();

/** Builds the form of a tool. What no form control can express becomes a JSON field. */
export function buildForm(inputSchema: unknown): Field {
  const root = isObject(inputSchema) ? inputSchema : {};
  return buildField(root, { name: "", required: true, root, depth: 0 });
}

interface FieldContext {
  readonly name: string;
  readonly required: boolean;
  readonly root: Schema;
  readonly depth: number;
}

function buildField(definition: unknown, context: FieldContext): Field {
  const schema = resolveSchema(definition, context.root);
  const common: FieldBase = {
    name: context.name,
    title: readText(schema.title) || context.name,
    description: readText(schema.description),
    required: context.required,
    initial: schema.default,
  };
  const json = (reason: string): Field => ({ ...common, kind: "json", reason });
  if (context.depth > MAX_DEPTH) return json("it is nested too deeply for a form");
  const options = findOptions(schema, context.root);
  if (options) return { ...common, kind: "choice", options };
  switch (readType(schema)) {
    case "string":
      return {
        ...common,
        kind: "text",
        isMultiline: isMultilineText(schema, context.name),
        isSecret: schema.format === "password" || schema.writeOnly === true,
        min: readNumber(schema.minLength, 0),
        max: readNumber(schema.maxLength, Number.POSITIVE_INFINITY),
      };
    case "number":
    case "integer":
      return {
        ...common,
        kind: "number",
        isInteger: readType(schema) === "integer",
        min: readNumber(schema.minimum, Number.NEGATIVE_INFINITY),
        max: readNumber(schema.maximum, Number.POSITIVE_INFINITY),
      };
    case "boolean":
      return { ...common, kind: "boolean" };
    case "array":
      return buildList(schema, common, context) ?? json("its items can have several types");
    case "object":
      return buildGroup(schema, common, context) ?? json("it accepts any keys");
    default:
      return json("it can have several types");
  }
}

function buildGroup(schema: Schema, common: FieldBase, { root, depth }: FieldContext): Field | undefined {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (schema.oneOf || schema.anyOf || schema.allOf || schema.if) return undefined;
  if (properties.length > MAX_FIELDS) return undefined;
  if (properties.length === 0 && (depth > 0 || isObject(schema.additionalProperties))) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) =>
    buildField(property, { name, required: required.includes(name), root, depth: depth + 1 }),
  );
  return { ...common, kind: "group", fields };
}

function buildList(schema: Schema, common: FieldBase, { root, depth }: FieldContext): Field | undefined {
  if (!isObject(schema.items)) return undefined;
  const item = buildField(schema.items, { name: "", required: true, root, depth: depth + 1 });
  const [min, max] = [readNumber(schema.minItems, 0), readNumber(schema.maxItems, Number.POSITIVE_INFINITY)];
  return { ...common, kind: "list", item, min, max };
}

/** Resolves local references, and drops a `null` variant, which only marks the field as optional. */
function resolveSchema(definition: unknown, root: Schema): Schema {
  let schema = isObject(definition) ? definition : {};
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const { $ref, ...siblings } = schema;
    if (typeof $ref === "string") {
      const target = resolveReference($ref, root);
      if (!target) return {};
      schema = { ...target, ...siblings };
      continue;
    }
    const variants = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as
      | unknown[]
      | undefined;
    const real = variants?.filter((variant) => !(isObject(variant) && variant.type === "null"));
    if (real?.length !== 1 || !isObject(real[0])) return schema;
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    schema = { ...real[0], ...rest };
  }
  return schema;
}

function resolveReference(ref: string, root: Schema): Schema | undefined {
  if (!ref.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const part of ref.slice(2).split("/").slice(0, MAX_DEPTH)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return isObject(target) ? target : undefined;
}

function findOptions(schema: Schema, root: Schema): readonly Scalar[] | undefined {
  if ("const" in schema && isScalar(schema.const)) return [schema.const];
  if (Array.isArray(schema.enum)) return toScalars(schema.enum);
  const variants = [schema.oneOf, schema.anyOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  const fixed = variants?.map((variant) => (isObject(variant) ? resolveSchema(variant, root).const : ABSENT));
  return fixed?.every((value) => value !== undefined && value !== ABSENT) ? toScalars(fixed) : undefined;
}

function toScalars(values: readonly unknown[]): readonly Scalar[] | undefined {
  const isUsable = values.length > 0 && values.length <= MAX_OPTIONS && values.every(isScalar);
  return isUsable ? (values as Scalar[]) : undefined;
}

function readType(schema: Schema): string | undefined {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
  if (types.length === 1 && typeof types[0] === "string") return types[0];
  return schema.type === undefined && isObject(schema.properties) ? "object" : undefined;
}

const MULTILINE_NAMES =
  /^(content|text|body|message|query|code|script|prompt|description|instructions|markdown)$/i;

function isMultilineText(schema: Schema, name: string): boolean {
  return (
    MULTILINE_NAMES.test(name) && schema.format === undefined && !(readNumber(schema.maxLength, 1_000) < 200)
  );
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readNumber(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
