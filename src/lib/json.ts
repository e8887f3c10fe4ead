/** A JSON Schema of any dialect. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns JSON with sorted keys, so that equal values give equal texts. */
export function stableJson(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? "null";
}

/** Returns JSON for any value, even one that nests too deep or holds something that JSON cannot represent. */
export function toJsonText(value: unknown): string {
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

/** Returns a copy of the value with every text changed, including keys. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  ) as T;
}

/** True if a text in the value includes `part`. Ignores keys and values nested deeper than `maxDepth`. */
export function includesText(value: unknown, part: string, maxDepth = 200): boolean {
  if (typeof value === "string") return value.includes(part);
  if (typeof value !== "object" || value === null || maxDepth === 0) return false;
  if (Array.isArray(value)) return value.some((item) => includesText(item, part, maxDepth - 1));
  for (const key in value) {
    if (includesText((value as Record<string, unknown>)[key], part, maxDepth - 1)) return true;
  }
  return false;
}

/** The size of a JSON value. */
export interface JsonExtent {
  /** The number of values in it, including itself. */
  readonly size: number;
  /** The characters of all texts and keys, and of the longest one. */
  readonly chars: number;
  readonly longest: number;
  /** The value nests deeper than allowed. Deeper values are not counted. */
  readonly tooDeep: boolean;
}

/** Does not recurse, because JSON can nest deep enough to overflow the stack. */
export function measureJson(value: unknown, maxDepth: number): JsonExtent {
  const extent = { size: 0, chars: 0, longest: 0, tooDeep: false };
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) {
      extent.tooDeep = true;
      return extent;
    }
    extent.size += level.length;
    level = listChildren(level, extent);
  }
  return extent;
}

/** Written by hand: every call runs this, and `flatMap` takes ten times as long. */
function listChildren(values: readonly unknown[], extent: { chars: number; longest: number }): unknown[] {
  const inner: unknown[] = [];
  for (const value of values) {
    if (typeof value === "string") count(value, extent);
    else if (Array.isArray(value)) for (const item of value) inner.push(item);
    else if (typeof value === "object" && value !== null) {
      for (const key in value) {
        count(key, extent);
        inner.push((value as Record<string, unknown>)[key]);
      }
    }
  }
  return inner;
}

function count({ length }: string, extent: { chars: number; longest: number }): void {
  extent.chars += length;
  if (length > extent.longest) extent.longest = length;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}
