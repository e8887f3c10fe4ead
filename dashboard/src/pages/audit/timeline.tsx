import type { AuditedCall } from "../../api/contract.ts";
import { classes } from "../../ui/classes.ts";

type CallPhase = AuditedCall["timeline"][number];

const PHASE_LABELS: Readonly<Record<CallPhase["name"], string>> = {
  resolve: "Find the tool",
  repair: "Check arguments",
  decide: "Apply rules",
  ask: "Wait for a person",
  prepare: "Prepare",
  run: "Run the tool",
  record: "Build the answer",
};

const COLOURS: Readonly<Record<CallPhase["name"], string>> = {
  resolve: "fill-soft",
  repair: "fill-soft",
  decide: "fill-soft",
  ask: "fill-warn",
  prepare: "fill-soft",
  run: "fill-accent-fill",
  record: "fill-soft",
};

const WIDTH = 1_000;
/** Keeps a phase visible that takes a thousandth of the call. */
const MIN_WIDTH = 6;

/** The phases of a call as bars from start to end. */
export function Timeline({ phases }: { phases: readonly CallPhase[] }) {
  const total = Math.max(1, ...phases.map(({ to }) => to));
  return (
    <ol aria-label="Phases of the call" className="flex flex-col gap-1">
      {phases.map(({ name, from, to }) => {
        const x = Math.min(WIDTH - MIN_WIDTH, (from / total) * WIDTH);
        return (
          <li
            key={`${name} ${from}`}
            className="grid grid-cols-[8.5rem_minmax(0,1fr)_4.5rem] items-center gap-2"
          >
            <span className="truncate text-xs">{PHASE_LABELS[name]}</span>
            <svg
              aria-hidden="true"
              viewBox={`0 0 ${WIDTH} 10`}
              preserveAspectRatio="none"
              className="h-2.5 w-full rounded-sm bg-hover"
            >
              <rect
                x={x}
                y="0"
                height="10"
                width={Math.max(MIN_WIDTH, ((to - from) / total) * WIDTH)}
                className={classes(COLOURS[name])}
              />
            </svg>
            <span className="text-end text-xs text-soft">{formatMicros(to - from)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** 12 µs, 3.4 ms, 2.1 s */
export function formatMicros(us: number): string {
  if (us < 1_000) return `${us} µs`;
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`;
  return us < 120_000_000 ? `${(us / 1_000_000).toFixed(1)} s` : `${Math.round(us / 60_000_000)} min`;
}
