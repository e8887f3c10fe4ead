import type { SyncProgress } from "../../api/contract.ts";

const PHASE_LABELS: Readonly<Record<SyncProgress["phase"], string>> = {
  scanning: "Scanning",
  reading: "Reading",
  done: "Done",
};

/** The progress of a sync, as a share of all files once their number is known. */
export function SyncBar({ progress }: { progress: SyncProgress }) {
  const { phase, seen, total, rate } = progress;
  const share =
    phase === "scanning" || total === undefined || total === 0 ? undefined : Math.min(1, seen / total);
  const files =
    phase === "scanning"
      ? `${(total ?? 0).toLocaleString("en")} found`
      : `${seen.toLocaleString("en")}${total === undefined ? "" : ` of ${total.toLocaleString("en")}`}`;
  const label = `${PHASE_LABELS[phase]}: ${files}${rate > 0 ? `, ${Math.round(rate)}/s` : ""}`;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <progress
        aria-label={label}
        className="h-1.5 w-20 shrink-0 accent-accent-fill"
        max={1}
        {...(share === undefined ? {} : { value: share })}
      />
      <span className="truncate text-xs">{label}</span>
    </span>
  );
}
