import { isRecord, stableJson } from "../../lib/json.ts";
import { type DiffLine, diffLines } from "../../lib/text/text-diff.ts";
import { MAX_DESCRIPTION } from "./definitions/clean-schema.ts";
import { revealed } from "./definitions/clean-text.ts";
import type { Fields } from "./fingerprint.ts";

/** One difference between what was accepted and what is published now. Nothing in it is invisible. */
export interface FieldChange {
  /** `description`, `inputSchema.properties.path.type` … */
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  readonly before?: string;
  readonly after?: string;
  /** Of texts of more than one line. */
  readonly lines?: readonly DiffLine[];
}

const MAX_CHANGES = 200;
/** No less than a model would be shown. */
const MAX_SHOWN = MAX_DESCRIPTION;
const MAX_DEPTH = 20;

/** The path of what stands for all that is not shown. */
const REST = "…";

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Field by field, and inside schemas path by path; of more than 200 the longest, and the last says how many are left. `before` is null where
 * nothing is known of it.
 */
export function definitionDiff(before: Fields | null, after: Fields): readonly FieldChange[] {
  const found: Difference[] = [];
  compare("", before ?? {}, after, 0, found);
  const left = found.length - MAX_CHANGES;
  if (left <= 0) return found.map(changeOf);
  const longest = found
    .map((difference) => ({ difference, length: JSON.stringify(difference).length }))
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_CHANGES);
  const rest = { path: REST, change: "changed", after: `${left} more differences` } as const;
  return [...longest.map(({ difference }) => changeOf(difference)), rest];
}

/** Whether there are more differences than are shown. */
export function isCut(changes: readonly FieldChange[]): boolean {
  return changes.at(-1)?.path === REST;
}

function compare(path: string, before: unknown, after: unknown, depth: number, found: Difference[]): void {
  if (isSame(before, after)) return;
  const goesOn = depth < MAX_DEPTH;
  if (goesOn && isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(joined(path, key), own(before, key), own(after, key), depth + 1, found);
  } else if (goesOn && Array.isArray(before) && Array.isArray(after) && hasRecords([...before, ...after])) {
    for (let at = 0; at < Math.max(before.length, after.length); at++)
      compare(`${path}[${at}]`, before[at], after[at], depth + 1, found);
  } else {
    found.push({ path, before, after });
  }
}

/** Where there is nothing, JSON has `null`. */
function isSame(before: unknown, after: unknown): boolean {
  return (before === undefined) === (after === undefined) && stableJson(before) === stableJson(after);
}

/** A schema may name a property `constructor`. */
function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function changeOf({ path, before, after }: Difference): FieldChange {
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const [was, is] = [shown(before), shown(after)];
  const isLong = change === "changed" && [was, is].some((text) => text.includes("\n"));
  return {
    path: shown(path),
    change,
    ...(before === undefined ? {} : { before: was }),
    ...(after === undefined ? {} : { after: is }),
    ...(isLong ? { lines: diffLines(was, is) } : {}),
  };
}

function hasRecords(values: readonly unknown[]): boolean {
  return values.some((value) => typeof value === "object" && value !== null);
}

function joined(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function shown(value: unknown): string {
  const text = revealed(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more)`;
}
