/** Encodes the values in a path: path`/api/agents/${name}`. */
export function path(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return strings.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]!) + part);
}

/** Formats the values that are set as `?a=1&b=2`; empty if there are none. */
export function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const set = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) set.set(key, String(value));
  return set.size === 0 ? "" : `?${set}`;
}
