import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export type Tone = "ok" | "warn" | "bad" | "accent" | "neutral";

const TONES: Record<Tone, string> = {
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-selected text-accent",
  neutral: "bg-hover text-soft",
};

/** A label of one or two words. */
export function Badge({
  tone = "neutral",
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={classes(
        "inline-flex h-5 max-w-full items-center truncate rounded px-1.5 text-2xs font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

/** Shape and colour carry the same meaning, so that colour is never the only signal. */
const MARKS: Record<Tone, { readonly path: string; readonly color: string; readonly filled: boolean }> = {
  ok: { path: "M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z", color: "text-ok", filled: true },
  warn: { path: "M6 1.2 11 10.5H1z", color: "text-warn", filled: true },
  bad: { path: "M2 2h8v8H2z", color: "text-bad", filled: true },
  accent: { path: "M6 1 11 6 6 11 1 6z", color: "text-accent", filled: true },
  neutral: { path: "M6 2.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6z", color: "text-soft", filled: false },
};

/** A status word with a mark beside it. */
export function StateMark({ tone, children, title }: { tone: Tone; children: ReactNode; title?: string }) {
  const { path, color, filled } = MARKS[tone];
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" title={title}>
      <svg
        aria-hidden="true"
        width="10"
        height="10"
        viewBox="0 0 12 12"
        className={classes("shrink-0", color)}
      >
        <path d={path} fill={filled ? "currentColor" : "none"} stroke="currentColor" strokeWidth="1.6" />
      </svg>
      <span className="truncate">{children}</span>
    </span>
  );
}
