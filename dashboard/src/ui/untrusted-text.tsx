import { type ReactNode, useState } from "react";
import { classes } from "./classes.ts";

/** Characters that change the writing direction, have no width, control a terminal, or are tags that only a model reads. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;
const MAX = 400;
const MAX_WHOLE = 20_000;
const MAX_MARKS = 500;

interface UntrustedProps {
  readonly text: string;
  /** How many characters to show before "Show more". */
  readonly max?: number;
  readonly mono?: boolean;
  /** One line, cut with an ellipsis. The rest cannot be expanded. */
  readonly line?: boolean;
}

/**
 * Text that somebody else wrote: servers, models, documents. It is never rendered as markup, cannot change the writing direction of
 * the text around it, makes invisible characters visible, and is bounded in length.
 */
export function UntrustedText({ text, max = MAX, mono = false, line = false }: UntrustedProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const limit = isExpanded ? MAX_WHOLE : max;
  const visible = text.length > limit ? `${text.slice(0, limit)}…` : text;
  const className = classes(
    mono && "font-mono text-xs",
    line ? "truncate" : "wrap-anywhere whitespace-pre-wrap",
  );
  if (line) {
    return (
      <bdi className={classes(className, "block min-w-0")} title={escapeInvisible(visible)}>
        {markInvisible(visible.replace(/\s+/g, " "))}
      </bdi>
    );
  }
  return (
    <>
      <bdi className={className}>{markInvisible(visible)}</bdi>
      {text.length > limit && !isExpanded && (
        <button
          type="button"
          className="ml-1 text-accent hover:underline"
          onClick={() => setIsExpanded(true)}
        >
          Show more ({text.length.toLocaleString("en")} characters)
        </button>
      )}
      {text.length > limit && isExpanded && (
        <span className="ml-1 text-soft">
          Truncated; the full text has {text.length.toLocaleString("en")} characters
        </span>
      )}
    </>
  );
}

/** Replaces invisible characters with visible marks. */
export function markInvisible(text: string): ReactNode {
  if (!INVISIBLE.test(text)) return text;
  const parts = text.split(new RegExp(`(${INVISIBLE.source})`, "u"));
  // One element per character would freeze the page for a text that is full of them.
  if (parts.length > MAX_MARKS * 2) return escapeInvisible(text);
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
      <mark key={index} className="rounded bg-warn-soft px-0.5 font-mono text-2xs text-warn">
        {codePointName(part)}
      </mark>
    ),
  );
}

/** The same as plain text, for tooltips, options and field names. */
export function escapeInvisible(text: string): string {
  return text.replace(new RegExp(INVISIBLE.source, "gu"), codePointName);
}

function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
