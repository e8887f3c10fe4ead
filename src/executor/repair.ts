import { isRecord } from "../lib/json.ts";
import type { JsonSchema } from "../tool.ts";

const MAX_DEPTH = 32;

/**
 * Arguments as the schema wants them where a model wrote them slightly differently: `"5"` for 5, `"true"` for
 * true, a JSON text for an array or object, a lone value for a list of one, null for an optional left out. What
 * fits already, and what cannot be helped, is returned as it came.
 */
export function repair(schema: JsonSchema, value: unknown): unknown {
  return repairAt(schema, value, schema, 0);
}

function repairAt(schema: unknown, value: unknown, root: JsonSchema, depth: number): unknown {
  const target = dereference(schema, root);
  if (!target || depth > MAX_DEPTH) return value;
  const types = allowedTypes(target, root);
  const fitting = types.size === 0 || types.has(typeOf(value)) ? value : coerce(value, types);
  if (Array.isArray(fitting)) return repairItems(target, fitting, root, depth);
  if (isRecord(fitting)) return repairProperties(target, fitting, root, depth);
  return fitting;
}

function repairItems(
  schema: JsonSchema,
  value: readonly unknown[],
  root: JsonSchema,
  depth: number,
): unknown {
  const items = branch(schema, "items", root);
  return items === undefined ? value : value.map((item) => repairAt(items, item, root, depth + 1));
}

function repairProperties(
  schema: JsonSchema,
  value: Record<string, unknown>,
  root: JsonSchema,
  depth: number,
): unknown {
  const properties = branch(schema, "properties", root);
  if (!isRecord(properties)) return value;
  const required = branch(schema, "required", root);
  const repaired = Object.entries(value).flatMap(([key, item]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) return [[key, item] as const];
    if (item === null && isAbsent(key, property, required, root)) return [];
    return [[key, repairAt(property, item, root, depth + 1)] as const];
  });
  // Not by assignment: `__proto__` is a key like any other.
  return Object.fromEntries(repaired);
}

/** Null for an optional that does not take null means that it was left out. */
function isAbsent(key: string, property: unknown, required: unknown, root: JsonSchema): boolean {
  if (Array.isArray(required) && required.includes(key)) return false;
  const schema = dereference(property, root);
  const types = schema ? allowedTypes(schema, root) : new Set<string>();
  return types.size > 0 && !types.has("null");
}

function coerce(value: unknown, types: ReadonlySet<string>): unknown {
  if (typeof value === "string" && !types.has("string")) {
    const parsed = parsedAs(value.trim(), types);
    if (parsed !== undefined) return parsed;
  }
  if (typeof value === "number" && types.has("string") && types.size === 1) return String(value);
  if (types.has("array") && value !== null && value !== undefined) return [value];
  return value;
}

function parsedAs(text: string, types: ReadonlySet<string>): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text === "True" || text === "False" ? text.toLowerCase() : text);
  } catch {
    return undefined;
  }
  return types.has(typeOf(parsed)) ? parsed : undefined;
}

/** The JSON types a schema takes, through `anyOf`, `oneOf` and `const`; empty when it does not say. */
function allowedTypes(schema: JsonSchema, root: JsonSchema, depth = 0): Set<string> {
  const types = new Set<string>();
  const add = (type: unknown) => {
    if (typeof type !== "string") return;
    types.add(type);
    // JSON has no integers of its own: 5.0 and 5 are the same number.
    if (type === "number") types.add("integer");
  };
  if (schema.type !== undefined) {
    for (const type of Array.isArray(schema.type) ? schema.type : [schema.type]) add(type);
    return types;
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || depth > 8) continue;
    for (const each of branches) {
      const target = dereference(each, root);
      const inner = target ? allowedTypes(target, root, depth + 1) : new Set<string>();
      if (inner.size === 0) return new Set();
      for (const type of inner) types.add(type);
    }
  }
  return types;
}

/** A keyword of the schema itself, or of the only branch of its `anyOf`/`oneOf` that has it. */
function branch(schema: JsonSchema, keyword: string, root: JsonSchema): unknown {
  if (schema[keyword] !== undefined) return schema[keyword];
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) ?? [];
  const having = branches
    .map((each) => dereference(each, root))
    .filter((each) => each?.[keyword] !== undefined);
  return having.length === 1 ? having[0]?.[keyword] : undefined;
}

function dereference(schema: unknown, root: JsonSchema): JsonSchema | undefined {
  let target = schema;
  for (let hops = 0; isRecord(target) && typeof target.$ref === "string"; hops++) {
    if (hops > 8 || !target.$ref.startsWith("#")) return undefined;
    target = pointer(root, target.$ref.slice(1));
  }
  return isRecord(target) ? target : undefined;
}

function pointer(root: unknown, path: string): unknown {
  let target = root;
  for (const part of path.split("/").slice(1)) {
    const key = decodeURIComponentSafely(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!(isRecord(target) || Array.isArray(target)) || !Object.hasOwn(target, key)) return undefined;
    target = (target as Record<string, unknown>)[key];
  }
  return target;
}

function decodeURIComponentSafely(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
