/** What a form asks for, made from the JSON Schema of a tool. The schema is a stranger's: nothing about it is certain. */

export type Scalar = string | number | boolean | null;

interface Common {
  /** The key in its object; "" for the whole and for items. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly required: boolean;
  /** What the schema says is taken where nothing is given. */
  readonly initial: unknown;
}

export type Field = Common &
  (
    | {
        readonly kind: "text";
        readonly long: boolean;
        readonly secret: boolean;
        readonly min: number;
        readonly max: number;
      }
    | { readonly kind: "number"; readonly whole: boolean; readonly min: number; readonly max: number }
    | { readonly kind: "yesNo" }
    | { readonly kind: "choice"; readonly options: readonly Scalar[] }
    | { readonly kind: "group"; readonly fields: readonly Field[] }
    | { readonly kind: "list"; readonly item: Field; readonly min: number; readonly max: number }
    /** No form fits: it is written as JSON. */
    | { readonly kind: "json"; readonly why: string }
  );

export type GroupField = Extract<Field, { kind: "group" }>;

/** Text that is no JSON yet, as it was typed. */
export interface Unparsed {
  readonly unparsed: string;
}

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 6;
const MAX_FIELDS = 200;
const MAX_OPTIONS = 500;
const NOT_GIVEN: unique symbol = Symbol();

/** The fields of a tool. What cannot be asked for by a form is asked for as JSON. */
export function formOf(inputSchema: unknown): Field {
  const root = isObject(inputSchema) ? inputSchema : {};
  return fieldOf(root, { name: "", required: true, root, depth: 0 });
}

interface Place {
  readonly name: string;
  readonly required: boolean;
  readonly root: Schema;
  readonly depth: number;
}

function fieldOf(given: unknown, place: Place): Field {
  const schema = plainOf(given, place.root);
  const common: Common = {
    name: place.name,
    title: textOf(schema.title) || place.name,
    about: textOf(schema.description),
    required: place.required,
    initial: schema.default,
  };
  const json = (why: string): Field => ({ ...common, kind: "json", why });
  if (place.depth > MAX_DEPTH) return json("it goes too deep for a form");
  const options = optionsOf(schema, place.root);
  if (options) return { ...common, kind: "choice", options };
  switch (typeOf(schema)) {
    case "string":
      return {
        ...common,
        kind: "text",
        long: isLong(schema, place.name),
        secret: schema.format === "password" || schema.writeOnly === true,
        min: numberOf(schema.minLength, 0),
        max: numberOf(schema.maxLength, Number.POSITIVE_INFINITY),
      };
    case "number":
    case "integer":
      return {
        ...common,
        kind: "number",
        whole: typeOf(schema) === "integer",
        min: numberOf(schema.minimum, Number.NEGATIVE_INFINITY),
        max: numberOf(schema.maximum, Number.POSITIVE_INFINITY),
      };
    case "boolean":
      return { ...common, kind: "yesNo" };
    case "array":
      return listOf(schema, common, place) ?? json("its items can be of several kinds");
    case "object":
      return groupOf(schema, common, place) ?? json("it takes any keys");
    default:
      return json("it can be of several kinds");
  }
}

function groupOf(schema: Schema, common: Common, { root, depth }: Place): Field | undefined {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (schema.oneOf || schema.anyOf || schema.allOf || schema.if) return undefined;
  if (properties.length > MAX_FIELDS) return undefined;
  if (properties.length === 0 && (depth > 0 || isObject(schema.additionalProperties))) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) =>
    fieldOf(property, { name, required: required.includes(name), root, depth: depth + 1 }),
  );
  return { ...common, kind: "group", fields };
}

function listOf(schema: Schema, common: Common, { root, depth }: Place): Field | undefined {
  if (!isObject(schema.items)) return undefined;
  const item = fieldOf(schema.items, { name: "", required: true, root, depth: depth + 1 });
  const [min, max] = [numberOf(schema.minItems, 0), numberOf(schema.maxItems, Number.POSITIVE_INFINITY)];
  return { ...common, kind: "list", item, min, max };
}

/** Without references into itself, and without the `null` that only says it may be left out. */
function plainOf(given: unknown, root: Schema): Schema {
  let schema = isObject(given) ? given : {};
  for (let step = 0; step < MAX_DEPTH; step++) {
    const { $ref, ...beside } = schema;
    if (typeof $ref === "string") {
      const target = referred($ref, root);
      if (!target) return {};
      schema = { ...target, ...beside };
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

function referred(ref: string, root: Schema): Schema | undefined {
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split("/").slice(0, MAX_DEPTH)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isObject(at) ? at : undefined;
}

function optionsOf(schema: Schema, root: Schema): readonly Scalar[] | undefined {
  if ("const" in schema && isScalar(schema.const)) return [schema.const];
  if (Array.isArray(schema.enum)) return scalars(schema.enum);
  const variants = [schema.oneOf, schema.anyOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  const fixed = variants?.map((variant) => (isObject(variant) ? plainOf(variant, root).const : NOT_GIVEN));
  return fixed?.every((value) => value !== undefined && value !== NOT_GIVEN) ? scalars(fixed) : undefined;
}

function scalars(values: readonly unknown[]): readonly Scalar[] | undefined {
  const usable = values.length > 0 && values.length <= MAX_OPTIONS && values.every(isScalar);
  return usable ? (values as Scalar[]) : undefined;
}

function typeOf(schema: Schema): string | undefined {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
  if (types.length === 1 && typeof types[0] === "string") return types[0];
  return schema.type === undefined && isObject(schema.properties) ? "object" : undefined;
}

const LONG = /^(content|text|body|message|query|code|script|prompt|description|instructions|markdown)$/i;

function isLong(schema: Schema, name: string): boolean {
  return LONG.test(name) && schema.format === undefined && !(numberOf(schema.maxLength, 1_000) < 200);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
