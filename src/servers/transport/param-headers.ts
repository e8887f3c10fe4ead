/**
 * SEP-2243: from 2026-07-28 on, a tool's schema may mark parameters that a client also sends as headers, for whatever
 * routes or limits requests on the way. The SDK does this only in its own `callTool`, which also enforces the tool's
 * output schema.
 */
import { isRecord } from "../../lib/json.ts";
import type { ToolList } from "../lists/tool-list.ts";

/** Marks a parameter and names its header, which gets the prefix `Mcp-Param-`. */
const MARK = "x-mcp-header";
const PREFIX = "Mcp-Param-";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** A value that can be sent unencoded: visible ASCII, with spaces and tabs only inside. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;
const MAX_DEPTH = 100;

export interface MarkedParameter {
  readonly path: readonly string[];
  readonly header: string;
}

/** The headers for a call with these arguments; none if the schema's marks are invalid. */
export function buildParamHeaders(
  inputSchema: unknown,
  args: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of listMarkedParameters(inputSchema)) {
    const value = formatParameter(getValueAt(args, path));
    if (value !== undefined) headers[PREFIX + header] = encode(value);
  }
  return headers;
}

/** The parameters that are also sent as headers; none if the schema's marks are invalid. */
export function listMarkedParameters(inputSchema: unknown): readonly MarkedParameter[] {
  const scan = new SchemaScan(inputSchema);
  return scan.fault === undefined ? scan.marked : [];
}

/** Describes what is wrong with a schema's marks. A tool with such a schema must not be published. */
export function findHeaderFault(inputSchema: unknown): string | undefined {
  return new SchemaScan(inputSchema).fault;
}

/** Drops tools with invalid marks and adds a warning for each. */
export function dropHeaderFaults(list: ToolList): ToolList {
  const faults = list.tools.map(({ inputSchema }) => findHeaderFault(inputSchema));
  if (faults.every((fault) => fault === undefined)) return list;
  const warnings = list.tools.flatMap(({ name }, index) =>
    faults[index] === undefined
      ? []
      : [`the tool ${JSON.stringify(name)} was left out: its header marks are invalid, ${faults[index]}`],
  );
  const leftOut = list.tools.flatMap(({ name }, index) =>
    faults[index] === undefined ? [] : [{ name, reason: `its header marks are invalid, ${faults[index]}` }],
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

  /** `isParameter` says that only `properties` lead here, so that the value can be found in the arguments. */
  #visit(schema: unknown, path: readonly string[], isParameter: boolean): string | undefined {
    if (Array.isArray(schema)) return this.#findFirst(schema, (part) => this.#visit(part, path, false));
    if (!isRecord(schema) || path.length > MAX_DEPTH) return undefined;
    const fault = MARK in schema ? this.#mark(schema, path, isParameter) : undefined;
    if (fault !== undefined) return fault;
    return this.#findFirst(Object.entries(schema), ([key, part]) => {
      if (key === "properties" && isRecord(part)) {
        return this.#findFirst(Object.entries(part), ([name, child]) =>
          this.#visit(child, [...path, name], isParameter),
        );
      }
      if (SCHEMAS_BY_NAME.has(key) && isRecord(part))
        return this.#findFirst(Object.values(part), (child) => this.#visit(child, path, false));
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

  #findFirst<T>(parts: readonly T[], check: (part: T) => string | undefined): string | undefined {
    for (const part of parts) {
      const fault = check(part);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

/** Keywords that contain a schema or a list of schemas; keywords that contain schemas by name. */
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
export function getValueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    args,
  );
}

/** Undefined if there is no value to send, or none that the server would read back unchanged. */
export function formatParameter(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function encode(value: string): string {
  if (PLAIN.test(value) && !ENCODED.test(value)) return value;
  return `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}
