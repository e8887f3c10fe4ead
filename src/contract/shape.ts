/** Shapes are declared once, in zod. TypeScript types, JSON Schemas, the OpenAPI document and row codecs are derived from them. */

import { z } from "zod";
import type { JsonSchema } from "../lib/json.ts";

/** The type of a shape, deeply read-only. */
export type Infer<S extends z.ZodType> = Frozen<z.infer<S>>;

type Frozen<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<T[Key]> }
      : T;

/** A non-empty text with at most this many characters. */
export const text = (most: number) => z.string().min(1).max(most);
/** A description or instructions; may be empty. */
export const longText = z.string().max(20_000);
/** Names or patterns, of tools for instance. */
export const names = z.array(text(200)).max(2_000);
export const count = z.int().min(0);
export const time = z.int().describe("Milliseconds since the epoch.");
/** An object of any kind, such as a JSON Schema. */
export const anyObject = z.record(z.string(), z.unknown());

/** The value of a binary column, such as a sealed one. */
export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** The shape as the type `T`, where TypeScript can say more than the JSON Schema does. */
export function typed<T>(shape: z.ZodType): z.ZodType<T> {
  return shape as unknown as z.ZodType<T>;
}

/** The properties of an object, each of them optional. */
export type Optional<S extends z.ZodRawShape> = { [Key in keyof S]: z.ZodExactOptional<S[Key]> };

/** Makes every property optional. A missing property is not the same as undefined, which `partial()` would allow. */
export function optional<S extends z.ZodRawShape>(properties: S): Optional<S> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => [name, z.exactOptional(shape)]),
  ) as Optional<S>;
}

/**
 * The JSON Schema of what tools and routes take. An object takes no other properties than those declared; a nullable one
 * may be missing.
 */
export function inputSchema(shape: z.ZodObject | z.ZodNullable<z.ZodObject>): JsonSchema {
  if (shape instanceof z.ZodNullable) return { ...inputSchema(shape.unwrap()), type: ["object", "null"] };
  const { properties = {}, required = [] } = plainSchema(z.toJSONSchema(shape, { io: "input" }));
  return { type: "object", properties, required, additionalProperties: false };
}

/** The JSON Schema of every shape that has an id (`.meta({ id })`), by that id. `refer` says where another one is found. */
export function namedSchemas(refer: (id: string) => string): Readonly<Record<string, JsonSchema>> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: "input", uri: refer });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _, id: _name, ...schema }]) => [id, plainSchema(schema)]),
  );
}

/** Returns the properties of `record` that the shape declares and no others, so that nothing else can slip out. */
export function pick<S extends z.ZodObject>(shape: S, record: Infer<S>): Infer<S> {
  const names = Object.keys(shape.shape);
  return Object.fromEntries(names.map((name) => [name, record[name as keyof Infer<S>]])) as Infer<S>;
}

const KEY_ORDER = [
  ...["$ref", "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum"],
  ...["minItems", "maxItems", "items", "anyOf", "properties", "required", "additionalProperties"],
  ...["default", "description"],
];

/**
 * Removes what zod adds without a meaning: the dialect, the bounds of safe integers, the type of an enumeration,
 * permission for other properties.
 */
function plainSchema(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(withoutNoise(schema)).map(([key, value]) => [key, plainValue(key, value)]);
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a as string) - rank(b as string)));
}

function plainValue(key: string, value: unknown): unknown {
  if (key === "properties") return mapValues(value as Record<string, JsonSchema>, plainSchema);
  if (key === "anyOf" || key === "allOf") return (value as JsonSchema[]).map(plainSchema);
  const isSchema = key === "items" || key === "additionalProperties";
  return isSchema && typeof value === "object" ? plainSchema(value as JsonSchema) : value;
}

function withoutNoise(schema: JsonSchema): JsonSchema {
  const { $schema: _, readOnly: _readOnly, keepsBounds, anyOf, ...rest } = schema;
  const plain: Record<string, unknown> = { ...rest };
  if ((plain.propertyNames as JsonSchema | undefined)?.enum === undefined) delete plain.propertyNames;
  if (plain.maximum === Number.MAX_SAFE_INTEGER && !keepsBounds) delete plain.maximum;
  if (plain.minimum === Number.MIN_SAFE_INTEGER) delete plain.minimum;
  if (plain.enum !== undefined) delete plain.type;
  if (isEmpty(plain.additionalProperties)) delete plain.additionalProperties;
  if (!Array.isArray(anyOf)) return plain;
  const choices = (anyOf as JsonSchema[]).map(withoutNoise);
  const merged = mergeTypes(choices);
  return merged ? { ...merged, ...plain } : { ...plain, anyOf: choices };
}

/** A choice between types, as one schema with several types. Undefined where a keyword would then be about more than one of them. */
function mergeTypes(choices: readonly JsonSchema[]): JsonSchema | undefined {
  const types = choices.flatMap(({ type }) => type);
  const keywords = choices.flatMap(({ type: _, ...rest }) => Object.keys(rest));
  const isMixed = types.includes(undefined) || keywords.includes("enum") || keywords.includes("const");
  const areDistinct = [types, keywords].every((list) => new Set(list).size === list.length);
  return isMixed || !areDistinct ? undefined : Object.assign({}, ...choices, { type: types });
}

/** True for the schema that accepts everything. */
function isEmpty(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}

function rank(key: string): number {
  const place = KEY_ORDER.indexOf(key);
  return place === -1 ? KEY_ORDER.length : place;
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
