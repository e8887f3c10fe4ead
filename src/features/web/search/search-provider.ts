import { isRecord } from "../../../lib/json.ts";
import type { WebRequest } from "../web-client.ts";

export interface SearchQuery {
  readonly words: string;
  readonly count: number;
  /** Only pages of the last day, week, month or year. */
  readonly newerThan?: "day" | "week" | "month" | "year";
}

/** One result as the provider returned it, unchecked. */
export interface ProviderPage {
  readonly title: unknown;
  readonly url: unknown;
  readonly snippet: unknown;
  /** When it was published, if the provider knows. */
  readonly date?: unknown;
}

/** A web search service. To add one, create a file beside this one and add it to `choose-provider.ts`. */
export interface SearchProvider {
  /** Its name for people. */
  readonly title: string;
  request(query: SearchQuery): WebRequest;
  /** Undefined if the response is not a search result. */
  pages(answer: unknown): readonly ProviderPage[] | undefined;
  /** What people can do about an error status; undefined for the general advice. */
  remedy?(status: number): string | undefined;
}

/** The objects in `value`; undefined if it is not a list. */
export function filterObjects(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isRecord);
}

export function getField(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
