import { useMemo } from "react";
import type { Params } from "../../api/client.ts";
import { useQueryString } from "../../app/location.ts";

/** The filters of the call list, as the API takes them. All of them come from the URL. */
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

/** The options of the time filter. */
export const RANGES: readonly (readonly [id: string, label: string])[] = [
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["between", "Custom range"],
];

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Record<string, number>> = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 };

/** A range starts at the moment it was selected or the page was opened, because a start that moves with every render would never settle. */
export function useAuditFilters(): AuditFilters {
  const query = useQueryString();
  const range = new URLSearchParams(query).get("range");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new range starts now
  const now = useMemo(() => Date.now(), [range]);
  return parseFilters(query, now);
}

export function parseFilters(query: string, now = Date.now()): AuditFilters {
  const params = new URLSearchParams(query);
  const readParam = (name: string) => params.get(name) || undefined;
  const hours = HOURS[params.get("range") ?? ""];
  const since = hours === undefined ? parseTime(readParam("from")) : now - hours * HOUR_MS;
  const filters: Record<string, string | number | undefined> = {
    text: readParam("q"),
    agent: readParam("agent"),
    tool: readParam("tool"),
    outcome: readParam("outcome"),
    decision: readParam("decision"),
    conversation: readParam("conversation"),
    since,
    until: parseTime(readParam("to")),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

export function toParams(filters: AuditFilters): Params {
  return { ...filters };
}

function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
