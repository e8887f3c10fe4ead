import { type ReactNode, useMemo } from "react";
import { CopyButton } from "./copy-button.tsx";
import { revealed } from "./untrusted.tsx";

const MAX = 100_000;
const MAX_COLOURED = 20_000;

/** Text in monospace with a button that copies all of it. `label` says what it is. */
export function Code({ text, label, tall = false }: { text: string; label: string; tall?: boolean }) {
  return (
    <Frame text={text} label={label} tall={tall}>
      {revealed(cut(text))}
    </Frame>
  );
}

/** Any value as JSON, coloured by kind. */
export function Json({ value, label, tall = false }: { value: unknown; label: string; tall?: boolean }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "undefined", [value]);
  return (
    <Frame text={text} label={label} tall={tall}>
      {text.length > MAX_COLOURED ? revealed(cut(text)) : coloured(text)}
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
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
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

function coloured(json: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > at) parts.push(json.slice(at, match.index));
    const [whole, text, colon] = match;
    const look = text === undefined ? "text-warn" : colon === undefined ? "text-ok" : "text-accent";
    parts.push(
      <span key={match.index} className={look}>
        {revealed(text ?? whole)}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    at = match.index + whole.length;
  }
  parts.push(json.slice(at));
  return parts;
}

function cut(text: string): string {
  return text.length <= MAX
    ? text
    : `${text.slice(0, MAX)}\n… cut here; it has ${text.length.toLocaleString("en")} characters`;
}
