import type { ReactNode } from "react";
import { revealed } from "../../ui/untrusted.tsx";

interface Mark {
  readonly start: number;
  readonly end: number;
}

/** A piece of a document with the words that were sought marked; only ever text. */
export function MarkedText({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of [...marks].sort((a, b) => a.start - b.start)) {
    if (start < at || end > text.length) continue;
    parts.push(revealed(text.slice(at, start)));
    parts.push(
      <mark key={start} className="rounded-sm bg-warn-soft font-medium text-text">
        {revealed(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  parts.push(revealed(text.slice(at)));
  return <bdi className="wrap-anywhere">{parts}</bdi>;
}
