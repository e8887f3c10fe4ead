import { type Field, isObject, type Unparsed } from "./schema-fields.ts";

/** The initial value of a form: the schema's defaults, and the minimum items of required lists. */
export function buildInitialValue(field: Field): unknown {
  if (field.initial !== undefined) return field.initial;
  if (field.kind === "group" && field.required)
    return Object.fromEntries(
      field.fields.flatMap((inner) => {
        const value = buildInitialValue(inner);
        return value === undefined ? [] : [[inner.name, value]];
      }),
    );
  if (field.kind === "list" && field.required)
    return Array.from({ length: Math.min(field.min, 10) }, () => buildInitialValue(field.item));
  if (field.kind === "boolean" && field.required) return false;
  if (field.kind === "choice" && field.required && field.options.length === 1) return field.options[0];
  return undefined;
}

/** The arguments to send, without empty fields. */
export function collectArguments(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case "group": {
      if (!isObject(value)) return field.required ? {} : undefined;
      const entries = field.fields.flatMap((inner) => {
        const argument = collectArguments(inner, value[inner.name]);
        return argument === undefined ? [] : [[inner.name, argument] as const];
      });
      return Object.fromEntries(entries);
    }
    case "list":
      return Array.isArray(value)
        ? value.map((item) => collectArguments(field.item, item) ?? null)
        : undefined;
    case "text":
      return value === "" && !field.required ? undefined : value;
    case "number":
      return value === "" ? undefined : value;
    default:
      return value;
  }
}

/** Problems by field path (`list.0.name`). The daemon validates again. */
export function findProblems(field: Field, value: unknown, path = ""): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  collectProblems(field, value, path, problems);
  return problems;
}

function collectProblems(field: Field, value: unknown, path: string, problems: Map<string, string>): void {
  const isMissing = value === undefined || (value === "" && field.kind !== "json");
  if (isMissing) {
    if (field.required && !(field.kind === "group")) problems.set(path, "Required");
    if (field.kind === "group" && field.required) collectGroupProblems(field, {}, path, problems);
    return;
  }
  switch (field.kind) {
    case "group":
      if (isObject(value)) collectGroupProblems(field, value, path, problems);
      return;
    case "list": {
      const items = Array.isArray(value) ? value : [];
      if (items.length < field.min) problems.set(path, `Add at least ${field.min}`);
      if (items.length > field.max) problems.set(path, `At most ${field.max} are allowed`);
      for (const [at, item] of items.entries())
        collectProblems(field.item, item, joinFieldPath(path, String(at)), problems);
      return;
    }
    case "number":
      checkNumber(field, value, path, problems);
      return;
    case "text": {
      const { length } = String(value);
      if (length < field.min) problems.set(path, `Enter at least ${field.min} characters (now ${length})`);
      if (length > field.max) problems.set(path, `Enter at most ${field.max} characters (now ${length})`);
      return;
    }
    case "json":
      if (isUnparsed(value)) problems.set(path, findJsonProblem(value.unparsed) ?? "Not valid JSON");
      return;
    default:
  }
}

function collectGroupProblems(
  field: Extract<Field, { kind: "group" }>,
  value: Readonly<Record<string, unknown>>,
  path: string,
  problems: Map<string, string>,
): void {
  for (const inner of field.fields)
    collectProblems(inner, value[inner.name], joinFieldPath(path, inner.name), problems);
}

function checkNumber(
  field: Extract<Field, { kind: "number" }>,
  value: unknown,
  path: string,
  problems: Map<string, string>,
): void {
  if (typeof value !== "number") problems.set(path, "Enter a number");
  else if (field.isInteger && !Number.isInteger(value)) problems.set(path, "Enter a whole number");
  else if (value < field.min) problems.set(path, `Must be at least ${field.min}`);
  else if (value > field.max) problems.set(path, `Must be at most ${field.max}`);
}

export function joinFieldPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function isUnparsed(value: unknown): value is Unparsed {
  return isObject(value) && typeof value.unparsed === "string" && Object.keys(value).length === 1;
}

/** Parses JSON input. Keeps invalid input as `Unparsed`; undefined when the input is empty. */
export function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { unparsed: text } satisfies Unparsed;
  }
}

/** Why the text is not valid JSON; undefined when it is. */
export function findJsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `Not valid JSON: ${message.slice(0, 200)}`;
  }
}

/** Whether the form has a secret field. Its values must then not be stored as a draft. */
export function hasSecret(field: Field): boolean {
  if (field.kind === "group") return field.fields.some(hasSecret);
  if (field.kind === "list") return hasSecret(field.item);
  return field.kind === "text" && field.isSecret;
}
