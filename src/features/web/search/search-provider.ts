import { isRecord } from "../../../lib/json.ts";
import type { WebRequest } from "../web-client.ts";

export interface SearchQuery {
  readonly words: string;
  readonly count: number;
  /** Only pages of the last day, week, month or year. */
  readonly newerThan?: "day" | "week" | "month" | "year";
}

/** One page that was found, as the provider says it; nobody has looked at it yet. */
export interface FoundPage {
  readonly title: unknown;
  readonly url: unknown;
  readonly snippet: unknown;
  /** When it was published, where the provider knows. */
  readonly date?: unknown;
}

/** Somebody who searches the web for others. To add one: a file beside this one, and a line in `choose-provider.ts`. */
export interface SearchProvider {
  /** As people know it. */
  readonly title: string;
  request(query: SearchQuery): WebRequest;
  /** Undefined: this is not an answer to such a request. */
  pages(answer: unknown): readonly FoundPage[] | undefined;
  /** What people can do about a status that is no success; undefined: nothing that is special here. */
  remedy?(status: number): string | undefined;
}

/** The objects in `value`, where it is a list of them. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isRecord);
}

export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
