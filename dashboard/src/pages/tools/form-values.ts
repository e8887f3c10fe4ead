import { type Field, isObject, type Unparsed } from "./schema-fields.ts";

/** What a form begins with: the defaults of the schema, and whatever a list needs at least. */
export function initialOf(field: Field): unknown {
  if (field.initial !== undefined) return field.initial;
  if (field.kind === "group" && field.required)
    return Object.fromEntries(
      field.fields.flatMap((inner) => {
        const value = initialOf(inner);
        return value === undefined ? [] : [[inner.name, value]];
      }),
    );
  if (field.kind === "list" && field.required)
    return Array.from({ length: Math.min(field.min, 10) }, () => initialOf(field.item));
  if (field.kind === "yesNo" && field.required) return false;
  if (field.kind === "choice" && field.required && field.options.length === 1) return field.options[0];
  return undefined;
}

/** What is sent: without what was left empty. */
export function givenIn(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case "group": {
      if (!isObject(value)) return field.required ? {} : undefined;
      const entries = field.fields.flatMap((inner) => {
        const given = givenIn(inner, value[inner.name]);
        return given === undefined ? [] : [[inner.name, given] as const];
      });
      return Object.fromEntries(entries);
    }
    case "list":
      return Array.isArray(value) ? value.map((item) => givenIn(field.item, item) ?? null) : undefined;
    case "text":
      return value === "" && !field.required ? undefined : value;
    case "number":
      return value === "" ? undefined : value;
    default:
      return value;
  }
}

/** What is wrong with what was filled in, by the path of the field (`list.0.name`). The daemon looks again. */
export function problemsIn(field: Field, value: unknown, path = ""): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  gather(field, value, path, problems);
  return problems;
}

function gather(field: Field, value: unknown, path: string, problems: Map<string, string>): void {
  const isMissing = value === undefined || (value === "" && field.kind !== "json");
  if (isMissing) {
    if (field.required && !(field.kind === "group")) problems.set(path, "This is needed");
    if (field.kind === "group" && field.required) gatherGroup(field, {}, path, problems);
    return;
  }
  switch (field.kind) {
    case "group":
      if (isObject(value)) gatherGroup(field, value, path, problems);
      return;
    case "list": {
      const items = Array.isArray(value) ? value : [];
      if (items.length < field.min) problems.set(path, `At least ${field.min} are needed`);
      if (items.length > field.max) problems.set(path, `At most ${field.max} are taken`);
      for (const [at, item] of items.entries()) gather(field.item, item, join(path, String(at)), problems);
      return;
    }
    case "number":
      numberProblem(field, value, path, problems);
      return;
    case "text": {
      const { length } = String(value);
      if (length < field.min) problems.set(path, `At least ${field.min} characters; there are ${length}`);
      if (length > field.max) problems.set(path, `At most ${field.max} characters; there are ${length}`);
      return;
    }
    case "json":
      if (isUnparsed(value)) problems.set(path, jsonProblem(value.unparsed) ?? "This is no JSON");
      return;
    default:
  }
}

function gatherGroup(
  field: Extract<Field, { kind: "group" }>,
  value: Readonly<Record<string, unknown>>,
  path: string,
  problems: Map<string, string>,
): void {
  for (const inner of field.fields) gather(inner, value[inner.name], join(path, inner.name), problems);
}

function numberProblem(
  field: Extract<Field, { kind: "number" }>,
  value: unknown,
  path: string,
  problems: Map<string, string>,
): void {
  if (typeof value !== "number") problems.set(path, "Write a number");
  else if (field.whole && !Number.isInteger(value)) problems.set(path, "Write a whole number");
  else if (value < field.min) problems.set(path, `Not less than ${field.min}`);
  else if (value > field.max) problems.set(path, `Not more than ${field.max}`);
}

export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function isUnparsed(value: unknown): value is Unparsed {
  return isObject(value) && typeof value.unparsed === "string" && Object.keys(value).length === 1;
}

/** Typed JSON as a value; what is none is kept as it is. Undefined: nothing was typed. */
export function parsed(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { unparsed: text } satisfies Unparsed;
  }
}

/** Where JSON goes wrong, in words; undefined where it does not. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `This is no JSON: ${message.slice(0, 200)}`;
  }
}

/** A secret must not be kept over a reload. */
export function hasSecret(field: Field): boolean {
  if (field.kind === "group") return field.fields.some(hasSecret);
  if (field.kind === "list") return hasSecret(field.item);
  return field.kind === "text" && field.secret;
}
