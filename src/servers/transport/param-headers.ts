/**
 * SEP-2243: from 2026-07-28 on, a tool's schema may mark parameters whose values a client also sends as headers, for
 * whatever routes or limits requests between it and the server. The SDK does this only in its own `callTool`, which
 * also insists on the tool's output schema.
 */
import { isRecord } from "../../lib/json.ts";
import type { ToolList } from "../lists/tool-list.ts";

/** Marks a parameter, and names its header after `Mcp-Param-`. */
const MARK = "x-mcp-header";
const PREFIX = "Mcp-Param-";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** A value that stands for itself in a header: visible ASCII, blanks and tabs inside alone. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;
const MAX_DEPTH = 100;

export interface MarkedParameter {
  readonly path: readonly string[];
  readonly header: string;
}

/** The headers that go along with a call with these arguments; none where the marks of the schema are not valid. */
export function paramHeaders(
  inputSchema: unknown,
  args: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of markedParameters(inputSchema)) {
    const value = textOfParameter(valueAt(args, path));
    if (value !== undefined) headers[PREFIX + header] = encoded(value);
  }
  return headers;
}

/** The parameters that also travel as headers; none where the marks of the schema are not valid. */
export function markedParameters(inputSchema: unknown): readonly MarkedParameter[] {
  const scan = new SchemaScan(inputSchema);
  return scan.fault === undefined ? scan.marked : [];
}

/** What is wrong with the marks of a schema; a tool with such a schema must not be offered. */
export function headerFault(inputSchema: unknown): string | undefined {
  return new SchemaScan(inputSchema).fault;
}

/** What of a list may be offered; what is left out is named in a warning. */
export function withoutHeaderFaults(list: ToolList): ToolList {
  const faults = list.tools.map(({ inputSchema }) => headerFault(inputSchema));
  if (faults.every((fault) => fault === undefined)) return list;
  const warnings = list.tools.flatMap(({ name }, index) =>
    faults[index] === undefined
      ? []
      : [`the tool ${JSON.stringify(name)} was left out: of its headers, ${faults[index]}`],
  );
  const leftOut = list.tools.flatMap(({ name }, index) =>
    faults[index] === undefined ? [] : [{ name, reason: `of its headers, ${faults[index]}` }],
  );
  return {
    ...list,
    leftOut: [...(list.leftOut ?? []), ...leftOut],
    tools: list.tools.filter((_, index) => faults[index] === undefined),
    warnings: [...list.warnings, ...warnings],
  };
}

class SchemaScan {
  readonly marked: MarkedParameter[] = [];
  readonly #names = new Set<string>();
  readonly fault: string | undefined;

  constructor(inputSchema: unknown) {
    this.fault = this.#visit(inputSchema, [], true);
  }

  /** `isParameter`: whether only `properties` lead here, so that the value can be found in the arguments. */
  #visit(schema: unknown, path: readonly string[], isParameter: boolean): string | undefined {
    if (Array.isArray(schema)) return this.#first(schema, (part) => this.#visit(part, path, false));
    if (!isRecord(schema) || path.length > MAX_DEPTH) return undefined;
    const fault = MARK in schema ? this.#mark(schema, path, isParameter) : undefined;
    if (fault !== undefined) return fault;
    return this.#first(Object.entries(schema), ([key, part]) => {
      if (key === "properties" && isRecord(part)) {
        return this.#first(Object.entries(part), ([name, child]) =>
          this.#visit(child, [...path, name], isParameter),
        );
      }
      if (SCHEMAS_BY_NAME.has(key) && isRecord(part))
        return this.#first(Object.values(part), (child) => this.#visit(child, path, false));
      return SCHEMAS.has(key) ? this.#visit(part, path, false) : undefined;
    });
  }

  #mark(schema: Record<string, unknown>, path: readonly string[], isParameter: boolean): string | undefined {
    const header = schema[MARK];
    const at = path.join(".") || "the schema itself";
    if (!isParameter || path.length === 0) return `${at} is marked, but is no parameter of its own`;
    if (typeof header !== "string" || !TOKEN.test(header)) return `${at} names no header that can be sent`;
    if (!TYPES.includes(schema.type)) return `${at} is marked, but is no string, integer or boolean`;
    const name = header.toLowerCase();
    if (this.#names.has(name)) return `${at} names the header ${header} a second time`;
    this.#names.add(name);
    this.marked.push({ path, header });
    return undefined;
  }

  #first<T>(parts: readonly T[], faultOf: (part: T) => string | undefined): string | undefined {
    for (const part of parts) {
      const fault = faultOf(part);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

/** Keywords that hold a schema or a list of them, and keywords that hold schemas by name. */
const SCHEMAS = new Set([
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
]);
const SCHEMAS_BY_NAME = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"]);

/** The value of a marked parameter. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    args,
  );
}

/** Undefined where there is no value to send, or none that reads the same on the other side. */
export function textOfParameter(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function encoded(value: string): string {
  if (PLAIN.test(value) && !ENCODED.test(value)) return value;
  return `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}
