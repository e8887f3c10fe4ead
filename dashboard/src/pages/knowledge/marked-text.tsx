import type { ReactNode } from "react";
import { markInvisible } from "../../ui/untrusted-text.tsx";

interface Mark {
  readonly start: number;
  readonly end: number;
}

interface MarkedTextProps {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Leaves out the signs of Markdown, which say little in a piece of it. */
  readonly isMarkdown?: boolean;
}

/** A piece of a document with the words that were sought marked; only ever text. */
export function MarkedText({ text, marks, isMarkdown = false }: MarkedTextProps) {
  const shown = (piece: string) => markInvisible(isMarkdown ? withoutSigns(piece) : piece);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of [...marks].sort((a, b) => a.start - b.start)) {
    if (start < at || end > text.length) continue;
    parts.push(shown(text.slice(at, start)));
    parts.push(
      <mark key={start} className="rounded-sm bg-warn-soft font-medium text-text">
        {markInvisible(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  parts.push(shown(text.slice(at)));
  return <bdi className="wrap-anywhere">{parts}</bdi>;
}

/** Of code, emphasis, links, headings and tables. A mark may have cut what belongs together: half of a link goes, too. */
function withoutSigns(piece: string): string {
  return piece
    .replace(/[`*]+/g, "")
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^([^[]*?)\]\([^)\s]*\)/, "$1")
    .replace(/\[$/, "")
    .replace(/(^|\s)#{1,6}\s/g, "$1")
    .replace(/\s*(\|[\s:-]*)+/g, " · ");
}
