import type { ReactNode } from "react";
import { markInvisible } from "../../ui/untrusted-text.tsx";

interface Mark {
  readonly start: number;
  readonly end: number;
}

interface MarkedTextProps {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Removes Markdown syntax, which means little in an excerpt. */
  readonly isMarkdown?: boolean;
}

/** An excerpt with the search terms marked, never rendered as markup. */
export function MarkedText({ text, marks, isMarkdown = false }: MarkedTextProps) {
  const renderPiece = (piece: string) => markInvisible(isMarkdown ? removeMarkup(piece) : piece);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of [...marks].sort((a, b) => a.start - b.start)) {
    if (start < at || end > text.length) continue;
    parts.push(renderPiece(text.slice(at, start)));
    parts.push(
      <mark key={start} className="rounded-sm bg-warn-soft font-medium text-text">
        {markInvisible(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  parts.push(renderPiece(text.slice(at)));
  return <bdi className="wrap-anywhere">{parts}</bdi>;
}

/** Removes the syntax of code, emphasis, links, headings and tables. A mark may have split a link: removes half a link as well. */
function removeMarkup(piece: string): string {
  return piece
    .replace(/[`*]+/g, "")
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^([^[]*?)\]\([^)\s]*\)/, "$1")
    .replace(/\[$/, "")
    .replace(/(^|\s)#{1,6}\s/g, "$1")
    .replace(/\s*(\|[\s:-]*)+/g, " · ");
}
