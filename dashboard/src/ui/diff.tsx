import { useMemo } from "react";
import { classes } from "./classes.ts";
import { markInvisible } from "./untrusted-text.tsx";

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Longer texts are listed one after the other: comparing them would take quadratic time and memory. */
const MAX_LINES = 1_500;
const MAX_TEXT = 100_000;

/** The difference between two texts, line by line. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(
    () => diffLines(before.slice(0, MAX_TEXT), after.slice(0, MAX_TEXT)),
    [before, after],
  );
  return <DiffLines lines={lines} label={label} />;
}

/** Renders compared lines: − for removed, + for added. */
export function DiffLines({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={label}
      dir="ltr"
      className="max-h-80 overflow-auto rounded-md border border-line bg-page py-1 font-mono text-xs"
    >
      {lines.map(({ kind, text }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never move
          key={index}
          className={classes(
            "flex gap-2 px-2 wrap-anywhere whitespace-pre-wrap",
            kind === "removed" && "bg-bad-soft text-bad",
            kind === "added" && "bg-ok-soft text-ok",
          )}
        >
          <span aria-hidden="true" className="w-3 shrink-0 select-none">
            {kind === "removed" ? "−" : kind === "added" ? "+" : " "}
          </span>
          <span className="min-w-0 flex-1">
            {kind !== "same" && (
              <span className="sr-only">{kind === "removed" ? "removed: " : "added: "}</span>
            )}
            {markInvisible(text)}
          </span>
        </div>
      ))}
    </pre>
  );
}

/** The shortest edit script, by the longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length > MAX_LINES || b.length > MAX_LINES)
    return [...a.map((text) => createLine("removed", text)), ...b.map((text) => createLine("added", text))];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(createLine("same", a[i]!));
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push(createLine("removed", a[i++]!));
    } else {
      lines.push(createLine("added", b[j++]!));
    }
  }
  return lines;
}

function createLine(kind: DiffLine["kind"], text: string): DiffLine {
  return { kind, text };
}
