/** JSON with sorted keys: equal values give equal text, whatever order their keys were written in. */
export function stableJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

/** True for `{…}`: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
