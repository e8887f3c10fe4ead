/** JSON with sorted keys: equal values give equal text, whatever order their keys were written in. */
export function stableJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

/** JSON of whatever it is: some values nest too deep, or hold what JSON has no word for. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return '"(no JSON)"';
  }
}

/** True for `{…}`: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same value with every text in it changed, keys included. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  ) as T;
}

/**
 * How many values a JSON value holds, itself included, and whether they nest deeper than `maxDepth`, where counting
 * ends. Does not recurse: a depth that JSON can have would overflow the stack of whoever walks down later.
 */
export function extentOf(
  value: unknown,
  maxDepth: number,
): { readonly size: number; readonly tooDeep: boolean } {
  let size = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return { size, tooDeep: true };
    size += level.length;
    level = within(level);
  }
  return { size, tooDeep: false };
}

/** By hand: every call passes here, and `flatMap` takes ten times as long. */
function within(values: readonly unknown[]): unknown[] {
  const inner: unknown[] = [];
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    for (const key in value) inner.push((value as Record<string, unknown>)[key]);
  }
  return inner;
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
