/** A path with its values encoded: path`/api/agents/${name}`. */
export function path(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return strings.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]!) + part);
}

/** `?a=1&b=2` of the values that are set; empty when none is. */
export function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const set = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) set.set(key, String(value));
  return set.size === 0 ? "" : `?${set}`;
}
