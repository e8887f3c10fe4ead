import { useId } from "react";

const [WIDTH, HEIGHT] = [240, 40];

interface ChartProps {
  /** Oldest first; null where there is no measurement. */
  readonly values: readonly (number | null)[];
  /** Accessible name: "Calls per minute, last hour: 12 now, 40 at most". */
  readonly label: string;
  readonly tone?: "accent" | "bad" | "warn" | "ok";
  /** The value that fills the height. Default: the largest value. */
  readonly max?: number;
}

const COLOURS = { accent: "text-accent", bad: "text-bad", warn: "text-warn", ok: "text-ok" };

/** A line chart without axes. */
export function Sparkline({ values, label, tone = "accent" }: ChartProps) {
  const id = useId();
  const max = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const distance = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const points = values.flatMap((value, index) =>
    value === null
      ? []
      : [`${(index * distance).toFixed(1)},${(HEIGHT - 3 - (value / max) * (HEIGHT - 6)).toFixed(1)}`],
  );
  return (
    <svg
      role="img"
      aria-labelledby={id}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`h-10 w-full ${COLOURS[tone]}`}
    >
      <title id={id}>{label}</title>
      {points.length > 1 && (
        <polygon
          points={`${points[0]!.split(",")[0]},${HEIGHT} ${points.join(" ")} ${points.at(-1)!.split(",")[0]},${HEIGHT}`}
          fill="currentColor"
          opacity="0.12"
        />
      )}
      {points.length === 1 && (
        <circle cx={points[0]!.split(",")[0]} cy={points[0]!.split(",")[1]} r="2" fill="currentColor" />
      )}
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** A bar chart without axes. */
export function Bars({ values, label, tone = "accent", max: fixedMax }: ChartProps) {
  const id = useId();
  const max = fixedMax ?? Math.max(1e-9, ...values.map((value) => value ?? 0));
  const barWidth = WIDTH / Math.max(1, values.length);
  return (
    <svg
      role="img"
      aria-labelledby={id}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`h-10 w-full ${COLOURS[tone]}`}
    >
      <title id={id}>{label}</title>
      {values.map((value, index) => {
        const height = value ? Math.max(1.5, (value / max) * (HEIGHT - 2)) : 0.75;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position
            key={index}
            x={index * barWidth}
            y={HEIGHT - height}
            width={Math.max(0.5, barWidth - 1)}
            height={height}
            fill="currentColor"
            opacity={value ? 1 : 0.3}
          />
        );
      })}
    </svg>
  );
}
