import { useMemo } from "react";
import type { Params } from "../../api/client.ts";
import { useQueryString } from "../../app/location.ts";

/** What narrows the calls, as the API takes it. Everything in it comes from the address. */
export interface AuditFilters {
  readonly text?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly decision?: string;
  readonly conversation?: string;
  readonly since?: number;
  readonly until?: number;
}

/** How long ago the first call began. */
export const RANGES: readonly (readonly [id: string, words: string])[] = [
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["between", "Between …"],
];

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Record<string, number>> = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 };

/** A range counts from when it was chosen, or the page was opened: a list that begins elsewhere with every look is none. */
export function useAuditFilters(): AuditFilters {
  const query = useQueryString();
  const range = new URLSearchParams(query).get("range");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range counts from now on
  const now = useMemo(() => Date.now(), [range]);
  return filtersIn(query, now);
}

export function filtersIn(query: string, now = Date.now()): AuditFilters {
  const params = new URLSearchParams(query);
  const given = (name: string) => params.get(name) || undefined;
  const hours = HOURS[params.get("range") ?? ""];
  const since = hours === undefined ? timeIn(given("from")) : now - hours * HOUR_MS;
  const filters: Record<string, string | number | undefined> = {
    text: given("q"),
    agent: given("agent"),
    tool: given("tool"),
    outcome: given("outcome"),
    decision: given("decision"),
    conversation: given("conversation"),
    since,
    until: timeIn(given("to")),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/** As the API takes them. */
export function paramsOf(filters: AuditFilters): Params {
  return { ...filters };
}

function timeIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
