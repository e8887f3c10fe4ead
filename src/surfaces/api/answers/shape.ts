/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A property that may be missing. An interface, so that it does not pass for a schema. */
export interface OptionalSchema {
  readonly mayBeMissing: Schema;
}

/** A schema for every property of `T`: one that the type gains or loses does not compile until its schema follows. */
export type Shape<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? OptionalSchema : Schema;
};

export function optional(schema: Schema): OptionalSchema {
  return { mayBeMissing: schema };
}

/** The object schema of a type of the contract. Open to more properties, as answers grow with time. */
export function shape<T extends object>(fields: Shape<T>, description?: string): Schema {
  const entries = Object.entries<Schema | OptionalSchema>(fields);
  const properties = Object.fromEntries(
    entries.map(([name, field]) => [name, isOptional(field) ? field.mayBeMissing : field]),
  );
  const required = entries.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  return { type: "object", ...(description === undefined ? {} : { description }), properties, required };
}

function isOptional(field: Schema | OptionalSchema): field is OptionalSchema {
  return "mayBeMissing" in field;
}

/** One of the named schemas of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

export function oneOf(...schemas: readonly Schema[]): Schema {
  return { oneOf: schemas };
}

export function orNull(schema: Schema): Schema {
  return typeof schema.type === "string"
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

export function anyOfTexts(values: readonly string[]): Schema {
  return { type: "string", enum: values };
}

export const text: Schema = { type: "string" };
export const texts: Schema = listOf(text);
export const yesNo: Schema = { type: "boolean" };
export const count: Schema = { type: "integer", minimum: 0 };
export const time: Schema = { type: "integer", description: "Milliseconds since the epoch." };
export const anyObject: Schema = { type: "object" };
