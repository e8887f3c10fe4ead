import { type ReactNode, useState } from "react";
import { classes } from "./classes.ts";

/** Marks that turn the writing direction, have no width, or control a terminal; tags that only a model reads. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;
const MAX = 400;
const MAX_WHOLE = 20_000;
const MAX_MARKS = 500;

interface UntrustedProps {
  readonly text: string;
  /** So much of it is shown at first. */
  readonly max?: number;
  readonly mono?: boolean;
  /** On one line, cut with an ellipsis, where there is no room; nothing opens the rest. */
  readonly line?: boolean;
}

/**
 * Text that others wrote: servers, models, documents. It is only ever text, cannot turn the direction of what stands
 * beside it, shows the characters in it that nobody would see, and is bounded in length.
 */
export function Untrusted({ text, max = MAX, mono = false, line = false }: UntrustedProps) {
  const [whole, setWhole] = useState(false);
  const limit = whole ? MAX_WHOLE : max;
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  const look = classes(mono && "font-mono text-xs", line ? "truncate" : "wrap-anywhere whitespace-pre-wrap");
  if (line) {
    return (
      <bdi className={classes(look, "block min-w-0")} title={plain(shown)}>
        {revealed(shown.replace(/\s+/g, " "))}
      </bdi>
    );
  }
  return (
    <>
      <bdi className={look}>{revealed(shown)}</bdi>
      {text.length > limit && !whole && (
        <button type="button" className="ml-1 text-accent hover:underline" onClick={() => setWhole(true)}>
          show more ({text.length.toLocaleString("en")} characters)
        </button>
      )}
      {text.length > limit && whole && (
        <span className="ml-1 text-soft">cut here; it has {text.length.toLocaleString("en")} characters</span>
      )}
    </>
  );
}

/** The text with what is invisible in it as marks that are seen. */
export function revealed(text: string): ReactNode {
  if (!INVISIBLE.test(text)) return text;
  const parts = text.split(new RegExp(`(${INVISIBLE.source})`, "u"));
  // Of a text that is hardly anything else, each as an element of its own would hold up the page.
  if (parts.length > MAX_MARKS * 2) return plain(text);
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
      <mark key={index} className="rounded bg-warn-soft px-0.5 font-mono text-2xs text-warn">
        {nameOf(part)}
      </mark>
    ),
  );
}

/** The same where only plain text can stand: names of fields, options, titles. */
export function plain(text: string): string {
  return text.replace(new RegExp(INVISIBLE.source, "gu"), nameOf);
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
