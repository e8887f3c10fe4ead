import type { AuditedCall } from "../../api/contract.ts";
import { classes } from "../../ui/classes.ts";

type CallStep = AuditedCall["timeline"][number];

const WORDS: Readonly<Record<CallStep["name"], string>> = {
  resolve: "Which tool is meant",
  repair: "Arguments checked",
  decide: "Rules asked",
  ask: "A person asked",
  prepare: "Made ready",
  run: "The tool ran",
  record: "Answer packed",
};

const COLOURS: Readonly<Record<CallStep["name"], string>> = {
  resolve: "fill-soft",
  repair: "fill-soft",
  decide: "fill-soft",
  ask: "fill-warn",
  prepare: "fill-soft",
  run: "fill-accent-fill",
  record: "fill-soft",
};

const WIDTH = 1_000;
/** A step that takes a thousandth of the call is still seen. */
const THINNEST = 6;

/** Each step of a call as a bar from when it began to when it ended. */
export function Timeline({ steps }: { steps: readonly CallStep[] }) {
  const whole = Math.max(1, ...steps.map(({ to }) => to));
  return (
    <ol aria-label="Steps of the call" className="flex flex-col gap-1">
      {steps.map(({ name, from, to }) => {
        const x = Math.min(WIDTH - THINNEST, (from / whole) * WIDTH);
        return (
          <li
            key={`${name} ${from}`}
            className="grid grid-cols-[8.5rem_minmax(0,1fr)_4.5rem] items-center gap-2"
          >
            <span className="truncate text-xs">{WORDS[name]}</span>
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
                width={Math.max(THINNEST, ((to - from) / whole) * WIDTH)}
                className={classes(COLOURS[name])}
              />
            </svg>
            <span className="text-end text-xs text-soft">{micros(to - from)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** 12 µs, 3.4 ms, 2.1 s */
export function micros(us: number): string {
  if (us < 1_000) return `${us} µs`;
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`;
  return us < 120_000_000 ? `${(us / 1_000_000).toFixed(1)} s` : `${Math.round(us / 60_000_000)} min`;
}
