import { type ReactNode, useMemo } from "react";
import { CopyButton } from "./copy-button.tsx";
import { markInvisible } from "./untrusted-text.tsx";

const MAX_LENGTH = 100_000;
const MAX_HIGHLIGHTED = 20_000;

/** Monospace text with a copy button. `label` is the accessible name. */
export function Code({ text, label, tall = false }: { text: string; label: string; tall?: boolean }) {
  return (
    <Frame text={text} label={label} tall={tall}>
      {markInvisible(truncate(text))}
    </Frame>
  );
}

/** Any value as JSON with syntax highlighting. */
export function Json({ value, label, tall = false }: { value: unknown; label: string; tall?: boolean }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "undefined", [value]);
  return (
    <Frame text={text} label={label} tall={tall}>
      {text.length > MAX_HIGHLIGHTED ? markInvisible(truncate(text)) : highlight(text)}
    </Frame>
  );
}

function Frame({
  text,
  label,
  tall,
  children,
}: {
  text: string;
  label: string;
  tall: boolean;
  children: ReactNode;
}) {
  return (
    <div className="group relative rounded-md border border-line bg-page">
      <div className="absolute top-0.5 right-0.5 rounded bg-page">
        <CopyButton text={text} label={`Copy ${label.slice(0, 1).toLowerCase()}${label.slice(1)}`} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={label}
        dir="ltr"
        className={`overflow-auto px-3 py-2 pr-9 font-mono text-xs wrap-anywhere whitespace-pre-wrap ${tall ? "max-h-[60vh]" : "max-h-72"}`}
      >
        {children}
      </pre>
    </div>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/gi;

function highlight(json: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > at) parts.push(json.slice(at, match.index));
    const [whole, text, colon] = match;
    const className = text === undefined ? "text-warn" : colon === undefined ? "text-ok" : "text-accent";
    parts.push(
      <span key={match.index} className={className}>
        {markInvisible(text ?? whole)}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    at = match.index + whole.length;
  }
  parts.push(json.slice(at));
  return parts;
}

function truncate(text: string): string {
  return text.length <= MAX_LENGTH
    ? text
    : `${text.slice(0, MAX_LENGTH)}\n… truncated; the full text has ${text.length.toLocaleString("en")} characters`;
}
