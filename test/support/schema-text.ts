/** JSON Schemas as text to compare: the same for schemas that mean the same, whichever way they are written. */

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaTextOptions {
  /** Lengths, ranges, patterns, and whether unknown keys are refused: what decides which requests are taken. */
  readonly hasBounds: boolean;
}

/** Prose, and what a reader of the type already sees. */
const LEFT_OUT = new Set(["description", "title", "examples", "$comment", "$schema", "deprecated"]);
const STRUCTURE = new Set([
  ...["type", "enum", "const", "anyOf", "oneOf", "$ref", "not"],
  ...["properties", "required", "additionalProperties", "propertyNames", "items", "prefixItems"],
]);

/** As TypeScript would write it: `string | null`, `AgentView[]`, `{ … }` with one key a line, sorted. */
export function schemaText(schema: unknown, options: SchemaTextOptions, indent = ""): string {
  if (typeof schema === "boolean") return schema ? "any" : "never";
  const members = membersOf(schema as Schema, options, indent);
  return [...new Set(members)].sort().join(" | ");
}

function membersOf(schema: Schema, options: SchemaTextOptions, indent: string): string[] {
  const { $ref, anyOf, oneOf, const: value, enum: values } = schema;
  if (typeof $ref === "string") return [$ref.slice($ref.lastIndexOf("/") + 1)];
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (choices) {
    const { anyOf: _any, oneOf: _one, ...shared } = schema;
    return choices.flatMap((each) => membersOf(both(shared, each), options, indent));
  }
  if (value !== undefined) return [JSON.stringify(value)];
  if (Array.isArray(values)) return values.map((each) => JSON.stringify(each));
  return [schema.type ?? impliedType(schema)].flat().map((type) => typeText(type, schema, options, indent));
}

/** What has to fit two schemas, of which one is a choice of the other. */
function both(shared: Schema, choice: Schema): Schema {
  const properties = { ...(shared.properties as object), ...(choice.properties as object) };
  const required = [shared.required ?? [], choice.required ?? []].flat();
  return {
    ...shared,
    ...choice,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function impliedType({ properties, items }: Schema): string {
  if (properties) return "object";
  return items ? "array" : "any";
}

function typeText(type: unknown, schema: Schema, options: SchemaTextOptions, indent: string): string {
  const bounds = boundsOf(String(type), schema, options);
  if (type === "object") return `${objectText(schema, options, indent)}${bounds}`;
  if (type !== "array") return `${type}${bounds}`;
  const items = schema.items === undefined ? "any" : schemaText(schema.items, options, indent);
  return `${/^\w+$/.test(items) ? items : `(${items})`}[]${bounds}`;
}

function objectText(schema: Schema, options: SchemaTextOptions, indent: string): string {
  const { properties = {}, required = [], additionalProperties: others = true, propertyNames } = schema;
  const inner = `${indent}  `;
  const lines = Object.entries(properties as Schema).map(
    ([name, property]) =>
      `${name}${(required as string[]).includes(name) ? "" : "?"}: ${schemaText(property, options, inner)}`,
  );
  const key = propertyNames === undefined ? "string" : schemaText(propertyNames, options, inner);
  if (typeof others === "object") lines.push(`[${key}]: ${schemaText(others, options, inner)}`);
  else if (others === true && options.hasBounds) lines.push("[string]: any");
  if (lines.length === 0) return "{}";
  return ["{", ...lines.sort().map((line) => `${inner}${line}`), `${indent}}`].join("\n");
}

/** Of the type that each is about, so that null has no length. Nothing is left out silently: what is not known here is shown as it is. */
function boundsOf(type: string, schema: Schema, { hasBounds }: SchemaTextOptions): string {
  if (!hasBounds || type === "null" || type === "boolean") return "";
  const bounds = Object.entries(schema)
    .filter(([key]) => !STRUCTURE.has(key) && !LEFT_OUT.has(key))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return bounds.length === 0 ? "" : ` (${bounds.sort().join(", ")})`;
}
