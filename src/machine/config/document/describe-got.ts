/** Parts of a settings path below which a value may be a secret and is never quoted. */
const SECRET_KEYS = new Set<PropertyKey>([
  "env",
  "headers",
  "oauth",
  "args",
  "url",
  "api_key",
  "TOOLKEEP_SEARCH_API_KEY",
  "TOOLKEEP_EMBEDDINGS_API_KEY",
  "database_url",
  "DATABASE_URL",
]);
const CREDENTIALS_IN_URL = /:\/\/[^/]*@/;

const LONGEST = 60;

/**
 * Describes a value for a message. Values below `env`, `headers`, `args` … are named by their kind only, because they
 * may be secret.
 */
export function describeGot(value: unknown, path: readonly PropertyKey[] = []): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value instanceof Date) return "a date";
  if (value !== null && typeof value === "object") return "an object";
  const isSecret = path.some((key) => SECRET_KEYS.has(key)) || CREDENTIALS_IN_URL.test(String(value));
  if (isSecret) return `a ${typeof value} (not shown)`;
  const written = JSON.stringify(value) ?? String(value);
  return written.length <= LONGEST ? written : `${written.slice(0, LONGEST)}…`;
}

/** Returns the value at the path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}
