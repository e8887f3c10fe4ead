import { useSyncExternalStore } from "react";

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exactFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const TICK_MS = 15_000;

/** A relative time with the exact time on hover. `at` is in milliseconds. */
export function Time({ at }: { at: number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="text-soft">never</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exactFormat.format(date)} className="whitespace-nowrap">
      {formatRelative(at, now)}
    </time>
  );
}

export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return relativeFormat.format(Math.trunc(seconds / length), unit);
  return Math.abs(seconds) < 10 ? "just now" : relativeFormat.format(seconds, "second");
}

/** 350 ms, 1.2 s, 3 min */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

/** The current time, updated in steps of `TICK_MS` so that all relative times on the page change together. */
export function useNow(): number {
  return useSyncExternalStore(subscribeToTicks, currentTick);
}

function subscribeToTicks(changed: () => void): () => void {
  const timer = window.setInterval(changed, TICK_MS);
  return () => window.clearInterval(timer);
}

/** Must be stable between two ticks, as `useSyncExternalStore` requires. Rounds up, so that nothing lies in the future. */
function currentTick(): number {
  return Math.ceil(Date.now() / TICK_MS) * TICK_MS;
}
