import type { JsonSchema } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { type Part, SchemaParts } from "./arguments/schema-parts.ts";

const FIELD = "approved";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Some hosts add `approved: true` to calls that they let through. It is theirs: it goes before the arguments are
 * checked, unless the tool's own schema has a property of that name.
 */
export function withoutApproved(args: Arguments, schema: JsonSchema): Arguments {
  if (!Object.hasOwn(args, FIELD) || isDeclared(args[FIELD], schema)) return args;
  return Object.fromEntries(Object.entries(args).filter(([key]) => key !== FIELD));
}

function isDeclared(value: unknown, schema: JsonSchema): boolean {
  const parts = new SchemaParts(schema);
  const seen = new Set<JsonSchema>();
  const declares = (part: Part | undefined): boolean => {
    if (!part || seen.has(part.schema)) return false;
    seen.add(part.schema);
    const { properties, required, additionalProperties, patternProperties } = part.schema;
    if (isRecord(properties) && Object.hasOwn(properties, FIELD)) return true;
    if (Array.isArray(required) && required.includes(FIELD)) return true;
    // A tool that takes any names: what hosts add is a boolean, anything else is one of the names.
    const takesNames = isRecord(additionalProperties) || isRecord(patternProperties);
    if (takesNames && typeof value !== "boolean") return true;
    return [
      parts.referredTo(part),
      ...["allOf", "anyOf", "oneOf"].flatMap((keyword) => parts.listed(part, keyword)),
      ...["then", "else"].map((keyword) => parts.under(part, keyword)),
    ].some(declares);
  };
  return declares(parts.root);
}
