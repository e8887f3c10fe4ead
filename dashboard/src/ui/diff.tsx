import { useMemo } from "react";
import { classes } from "./classes.ts";
import { revealed } from "./untrusted.tsx";

export interface Line {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** More lines than these are shown one after the other instead of compared. */
const MAX_LINES = 1_500;
const MAX_TEXT = 100_000;

/** What changed between two texts, line by line. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(
    () => diffLines(before.slice(0, MAX_TEXT), after.slice(0, MAX_TEXT)),
    [before, after],
  );
  return <DiffLines lines={lines} label={label} />;
}

/** Lines that were compared already; what was is marked with −, what is with +. */
export function DiffLines({ lines, label }: { lines: readonly Line[]; label: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
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
            {revealed(text)}
          </span>
        </div>
      ))}
    </pre>
  );
}

/** The shortest list of lines gone and new, by the longest common subsequence. */
export function diffLines(before: string, after: string): Line[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length > MAX_LINES || b.length > MAX_LINES)
    return [...a.map((text) => line("removed", text)), ...b.map((text) => line("added", text))];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(line("same", a[i]!));
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push(line("removed", a[i++]!));
    } else {
      lines.push(line("added", b[j++]!));
    }
  }
  return lines;
}

function line(kind: Line["kind"], text: string): Line {
  return { kind, text };
}
