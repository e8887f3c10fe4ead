import { includesText } from "../../lib/json.ts";

/** How secrets are named, as a pattern of JSON Schema. */
export const SECRET_NAME = "^[A-Z][A-Z0-9_]{0,63}$";
/** How a text names a secret: `{{secret:NAME}}`. With a backslash, `{{\secret:NAME}}` stands for that text itself. */
const PLACEHOLDER = /\{\{(\\?)secret:([A-Z][A-Z0-9_]{0,63})\}\}/g;
/** Part of every placeholder: a text without it names no secrets. */
export const SECRET_MARK = "secret:";

export function mayNameSecrets(value: unknown): boolean {
  return includesText(value, SECRET_MARK);
}

/** The names of the secrets that a value names, each once, in their order. */
export function secretsNamedIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  replaceIn(value, (whole, quoted, name) => {
    if (quoted === "") names.add(name);
    return whole;
  });
  return [...names];
}

/** A copy with each name replaced by its value. Keys of objects, and names without a value, stay as they are. */
export function withSecretValues<T>(value: T, values: ReadonlyMap<string, string>): T {
  return replaceIn(value, (whole, quoted, name) =>
    quoted === "" ? (values.get(name) ?? whole) : `{{secret:${name}}}`,
  ) as T;
}

type Replace = (whole: string, quoted: string, name: string) => string;

function replaceIn(value: unknown, replace: Replace): unknown {
  if (typeof value === "string")
    return value.includes(SECRET_MARK) ? value.replace(PLACEHOLDER, replace) : value;
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, replace)]));
}
