/** A JSON Schema, whatever its dialect. */
export type JsonSchema = Readonly<Record<string, unknown>>;

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

/** Whether a text somewhere in the value includes `part`; keys, and what nests deeper than `maxDepth`, are not looked at. */
export function includesText(value: unknown, part: string, maxDepth = 200): boolean {
  if (typeof value === "string") return value.includes(part);
  if (typeof value !== "object" || value === null || maxDepth === 0) return false;
  if (Array.isArray(value)) return value.some((item) => includesText(item, part, maxDepth - 1));
  for (const key in value) {
    if (includesText((value as Record<string, unknown>)[key], part, maxDepth - 1)) return true;
  }
  return false;
}

/** How large a JSON value is. */
export interface JsonExtent {
  /** The values in it, itself included. */
  readonly size: number;
  /** The characters of its texts and keys, and of the longest of these. */
  readonly chars: number;
  readonly longest: number;
  /** It nests deeper than it may; what lies deeper is not counted. */
  readonly tooDeep: boolean;
}

/** Does not recurse: a depth that JSON can have would overflow the stack of whoever walks down later. */
export function extentOf(value: unknown, maxDepth: number): JsonExtent {
  const extent = { size: 0, chars: 0, longest: 0, tooDeep: false };
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) {
      extent.tooDeep = true;
      return extent;
    }
    extent.size += level.length;
    level = within(level, extent);
  }
  return extent;
}

/** By hand: every call passes here, and `flatMap` takes ten times as long. */
function within(values: readonly unknown[], extent: { chars: number; longest: number }): unknown[] {
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
