/**
 * How a text names a secret: `{{secret:NAME}}`. With a backslash, `{{\secret:NAME}}`, it is the text itself that is
 * meant.
 */
const PLACEHOLDER = /\{\{(\\?)secret:([A-Z][A-Z0-9_]{0,63})\}\}/g;
/** In every placeholder, and in little else. */
const MARK = "secret:";
const SHORTEST = "{{secret:A}}".length;
/** Arguments that nest deeper were refused before. */
const MAX_DEPTH = 200;

/** Whether a text somewhere in it may hold a placeholder: every call is asked, so it only looks. */
export function mayNameSecrets(value: unknown, depthLeft = MAX_DEPTH): boolean {
  if (typeof value === "string") return value.length >= SHORTEST && value.includes(MARK);
  if (typeof value !== "object" || value === null || depthLeft === 0) return false;
  if (Array.isArray(value)) return value.some((item) => mayNameSecrets(item, depthLeft - 1));
  for (const key in value) {
    if (mayNameSecrets((value as Record<string, unknown>)[key], depthLeft - 1)) return true;
  }
  return false;
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
  if (typeof value === "string") return value.includes(MARK) ? value.replace(PLACEHOLDER, replace) : value;
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, replace)]));
}
