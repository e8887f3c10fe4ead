import { isRecord, stableJson } from "../../lib/json.ts";
import { diffLines } from "../../lib/text/text-diff.ts";
import type { FieldChange } from "./contract.ts";
import { MAX_DESCRIPTION } from "./definitions/clean-schema.ts";
import { revealHidden } from "./definitions/clean-text.ts";
import type { Fields } from "./fingerprint.ts";

const MAX_CHANGES = 200;
/** People must see at least as much as a model would. */
const MAX_SHOWN = MAX_DESCRIPTION;
const MAX_DEPTH = 20;

/** The path of the entry that stands for all differences not shown. */
const REST = "…";

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Compares field by field, and schemas path by path. Shows at most 200 differences, the longest ones; a last entry then
 * says how many are left. `before` is null if it is unknown.
 */
export function diffDefinitions(before: Fields | null, after: Fields): readonly FieldChange[] {
  const differences: Difference[] = [];
  compare("", before ?? {}, after, 0, differences);
  const left = differences.length - MAX_CHANGES;
  if (left <= 0) return differences.map(toFieldChange);
  const longest = differences
    .map((difference) => ({ difference, length: JSON.stringify(difference).length }))
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_CHANGES);
  const rest = { path: REST, change: "changed", after: `${left} more differences` } as const;
  return [...longest.map(({ difference }) => toFieldChange(difference)), rest];
}

/** Whether there are more differences than shown. */
export function isCut(changes: readonly FieldChange[]): boolean {
  return changes.at(-1)?.path === REST;
}

function compare(
  path: string,
  before: unknown,
  after: unknown,
  depth: number,
  differences: Difference[],
): void {
  if (isSame(before, after)) return;
  const canDescend = depth < MAX_DEPTH;
  if (canDescend && isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(joinPath(path, key), getOwn(before, key), getOwn(after, key), depth + 1, differences);
  } else if (
    canDescend &&
    Array.isArray(before) &&
    Array.isArray(after) &&
    hasRecords([...before, ...after])
  ) {
    for (let at = 0; at < Math.max(before.length, after.length); at++)
      compare(`${path}[${at}]`, before[at], after[at], depth + 1, differences);
  } else {
    differences.push({ path, before, after });
  }
}

/** Tells a missing value from `null`, which have the same JSON here. */
function isSame(before: unknown, after: unknown): boolean {
  return (before === undefined) === (after === undefined) && stableJson(before) === stableJson(after);
}

/** Ignores inherited keys: a schema may name a property `constructor`. */
function getOwn(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function toFieldChange({ path, before, after }: Difference): FieldChange {
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const [oldText, newText] = [formatValue(before), formatValue(after)];
  const isLong = change === "changed" && [oldText, newText].some((text) => text.includes("\n"));
  return {
    path: formatValue(path),
    change,
    ...(before === undefined ? {} : { before: oldText }),
    ...(after === undefined ? {} : { after: newText }),
    ...(isLong ? { lines: diffLines(oldText, newText) } : {}),
  };
}

function hasRecords(values: readonly unknown[]): boolean {
  return values.some((value) => typeof value === "object" && value !== null);
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function formatValue(value: unknown): string {
  const text = revealHidden(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more)`;
}
