import { includesText } from "../../lib/json.ts";

/** How secrets are named, as a pattern of JSON Schema. */
export const SECRET_NAME = "^[A-Z][A-Z0-9_]{0,63}$";
/**
 * How a text names a secret: `{{secret:NAME}}`. With a backslash, `{{\secret:NAME}}`, it is the text itself that is
 * meant.
 */
const PLACEHOLDER = /\{\{(\\?)secret:([A-Z][A-Z0-9_]{0,63})\}\}/g;
/** In every placeholder, and in little else: what does not include it names no secrets. */
export const SECRET_MARK = "secret:";

export function mayNameSecrets(value: unknown): boolean {
  return includesText(value, SECRET_MARK);
}

/** The names of the secrets in it, each once, in the order in which they stand there. */
export function secretsNamedIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  replaceIn(value, (whole, quoted, name) => {
    if (quoted === "") names.add(name);
    return whole;
  });
  return [...names];
}

/** A copy with the values in the place of the names; keys stay as they are. A name without a value stays. */
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
