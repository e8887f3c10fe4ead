import type { ErrorObject } from "ajv";
import type { JsonSchema, OutcomeError, Tool } from "../../../contract/tool.ts";
import { isInexact, parseExact } from "../../../lib/exact-json.ts";
import { isRecord, mapTexts, measureJson } from "../../../lib/json.ts";
import { nearest } from "../../../lib/nearest.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { type FitsPart, type Part, SchemaParts } from "../../../lib/schema/schema-parts.ts";
import type { Check, Schemas } from "../../../lib/schema/schemas.ts";
import type { Vault } from "../../vault/vault.ts";
import { MAX_DEPTH, repair } from "./repair.ts";

const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 1_000;
const MAX_LISTED_NAMES = 20;
const MAX_KEYS = 8;
const APPROVED = "approved";

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments that a tool runs with: as given where they fit, otherwise repaired. */
export function checkArguments(
  tool: CheckedTool,
  given: unknown,
  { schemas, vault }: { readonly schemas: Schemas; readonly vault: Pick<Vault, "redact"> },
): Result<Readonly<Record<string, unknown>>, OutcomeError> {
  const object = asObject(given);
  if (!isRecord(object)) {
    const visible = visibleArguments(tool, given);
    return err(notAnObjectError(tool.name, typeof visible === "string" ? vault.redact(visible) : visible));
  }
  const value = withoutApproved(object, tool.inputSchema);
  const extent = measureJson(value, MAX_DEPTH);
  if (extent.tooDeep) return err(tooDeepError(tool.name));
  // Nearly all arguments fit as they are.
  if (schemas.fitsAtOnce(tool, extent, value)) return ok(value);
  const toVisible = (args: unknown) => mapTexts(visibleArguments(tool, args), (text) => vault.redact(text));
  const fitted = schemas.within(tool, extent, (check) =>
    fitArguments(tool, value, { check, fits: (...part) => schemas.partsOf(tool)(...part), toVisible }),
  );
  return fitted.ok ? fitted.value : err(notCheckedError(tool.name));
}

type CheckedTool = Pick<Tool, "name" | "inputSchema" | "shownArguments">;

/** Error messages quote the arguments, except what the tool says may be secret. */
function visibleArguments({ shownArguments }: CheckedTool, args: unknown): unknown {
  return shownArguments ? shownArguments(args) : args;
}

function fitArguments(
  tool: CheckedTool,
  value: Readonly<Record<string, unknown>>,
  {
    check,
    fits,
    toVisible,
  }: { readonly check: Check; readonly fits: FitsPart; readonly toVisible: (args: unknown) => unknown },
): Result<Readonly<Record<string, unknown>>, OutcomeError> {
  if (check(value).length === 0) return ok(value);
  const repaired = repair(tool.inputSchema, value, fits);
  const problems = check(repaired);
  return problems.length === 0 && isRecord(repaired)
    ? ok(repaired)
    : err(misfitError(tool, toVisible(repaired), problems));
}

/** No arguments mean an empty object; some clients send the object as JSON text. */
function asObject(given: unknown): unknown {
  if (given === undefined || given === null || given === "") return {};
  if (typeof given !== "string") return given;
  try {
    return parseExact(given);
  } catch {
    return given;
  }
}

/**
 * Some hosts add `approved: true` to calls that they let through. It is removed before the arguments are checked,
 * unless the tool's own schema has a property of that name.
 */
function withoutApproved(args: Arguments, schema: JsonSchema): Arguments {
  if (!Object.hasOwn(args, APPROVED) || isDeclared(args[APPROVED], schema)) return args;
  return Object.fromEntries(Object.entries(args).filter(([key]) => key !== APPROVED));
}

function isDeclared(value: unknown, schema: JsonSchema): boolean {
  const parts = new SchemaParts(schema);
  const seen = new Set<JsonSchema>();
  const declares = (part: Part | undefined): boolean => {
    if (!part || seen.has(part.schema)) return false;
    seen.add(part.schema);
    const { properties, required, additionalProperties, patternProperties } = part.schema;
    if (isRecord(properties) && Object.hasOwn(properties, APPROVED)) return true;
    if (Array.isArray(required) && required.includes(APPROVED)) return true;
    // For a tool that takes arbitrary names, a boolean is the host's flag and any other value belongs to the tool.
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

function notAnObjectError(tool: string, given: unknown): OutcomeError {
  return {
    message: `the arguments of ${tool} must be an object, got ${describe(given)}`,
    remedy: "Send an object with the properties of the tool's schema.",
  };
}

function tooDeepError(tool: string): OutcomeError {
  return {
    message: `the arguments of ${tool} are nested more than ${MAX_DEPTH} levels deep`,
    remedy: "Send them with less nesting.",
  };
}

function notCheckedError(tool: string): OutcomeError {
  return {
    message: `the arguments of ${tool} could not be checked in time against its schema`,
    remedy: "Send fewer or shorter values; if that does not help, use another tool.",
  };
}

function misfitError(
  tool: Pick<Tool, "name" | "inputSchema">,
  value: unknown,
  errors: readonly ErrorObject[],
): OutcomeError {
  const informative = mergeTypeErrors(errors.filter(isInformative));
  const problems = [
    ...new Set(informative.map((error) => shorten(describeProblem(error, value, tool.inputSchema)))),
  ];
  const shown = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : "";
  return {
    message: `the arguments of ${tool.name} do not fit: ${shown.join("; ")}${more}`,
    remedy: "Correct them and call again.",
    details: { problems: shown },
  };
}

/** A problem may quote keys, patterns and allowed values of any length. */
function shorten(problem: string): string {
  return problem.length > MAX_PROBLEM_LENGTH ? `${problem.slice(0, MAX_PROBLEM_LENGTH)}…` : problem;
}

/** "must match a schema in anyOf" says nothing that the errors of its branches do not say. */
function isInformative(error: ErrorObject, _: number, all: readonly ErrorObject[]): boolean {
  const isUmbrella = ["anyOf", "oneOf", "allOf", "if", "not"].includes(error.keyword);
  return !isUmbrella || all.length === 1;
}

/** Each branch of a union reports a type error of its own; for one value they become one problem. */
function mergeTypeErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const typesAt = new Map<string, Set<string>>();
  for (const { keyword, instancePath, params } of errors) {
    if (keyword !== "type") continue;
    const types = typesAt.get(instancePath) ?? new Set();
    for (const type of [params.type].flat()) types.add(type);
    typesAt.set(instancePath, types);
  }
  return errors.map((error) =>
    error.keyword === "type" ? { ...error, params: { type: [...typesAt.get(error.instancePath)!] } } : error,
  );
}

function describeProblem(error: ErrorObject, value: unknown, schema: Tool["inputSchema"]): string {
  const path = error.instancePath.slice(1).replaceAll("/", ".");
  const at = (key: string) => (path ? `${path}.${key}` : key);
  const got = describe(valueAt(value, error.instancePath));
  switch (error.keyword) {
    case "required":
      return `${at(error.params.missingProperty)} is missing${describeKeys(valueAt(value, error.instancePath))}`;
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(error.params.additionalProperty ?? error.params.unevaluatedProperty);
      const known = path === "" && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
      return `${at(key)} is not a property it takes${suggestName(key, known)}`;
    }
    case "type":
      return `${path || "the value"} must be ${[error.params.type].flat().join(" or ")}, got ${got}${describeInexact(valueAt(value, error.instancePath))}`;
    case "enum":
      return `${path || "the value"} must be one of ${listValues(error.params.allowedValues)}, got ${got}`;
    case "const":
      return `${path || "the value"} must be ${JSON.stringify(error.params.allowedValue)}, got ${got}`;
    default:
      return `${path || "the value"} ${error.message ?? "does not fit"}, got ${got}`;
  }
}

function describeKeys(value: unknown): string {
  const keys = isRecord(value) ? Object.keys(value) : [];
  if (keys.length === 0) return "";
  const more = keys.length > MAX_KEYS ? ", …" : "";
  return `; got ${keys.slice(0, MAX_KEYS).join(", ")}${more}`;
}

function describeInexact(value: unknown): string {
  return typeof value === "string" && isInexact(value.trim())
    ? `, which is too large to be passed on exactly (at most ${Number.MAX_SAFE_INTEGER})`
    : "";
}

/** Suggests the nearest name, or else lists the names that exist. */
function suggestName(key: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const guess = nearest(key, known);
  if (guess) return `; did you mean ${guess}?`;
  const more = known.length > MAX_LISTED_NAMES ? ", …" : "";
  return `; it takes ${known.slice(0, MAX_LISTED_NAMES).join(", ")}${more}`;
}

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return values.length > 20 ? `${shown.join(", ")}, …` : shown.join(", ");
}

function valueAt(value: unknown, pointer: string): unknown {
  let target = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null) return undefined;
    target = (target as Record<string, unknown>)[key];
  }
  return target;
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isRecord(value)) return "an object";
  const shown = JSON.stringify(value) ?? String(value);
  return `${value === null ? "" : `${typeof value} `}${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}
