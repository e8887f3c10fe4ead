import { type ReactNode, useEffect, useRef, useState } from "react";
import { useUrlState } from "../app/location.ts";
import { Icon } from "./icon.tsx";

const DEBOUNCE_MS = 150;

/** The bar above a list: search field, other filters, then a summary such as "3 of 8". */
export function FilterBar({ children, summary }: { children: ReactNode; summary?: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      {children}
      {summary !== undefined && (
        <span className="ml-auto text-xs whitespace-nowrap text-soft" aria-live="polite">
          {summary}
        </span>
      )}
    </div>
  );
}

/** A search field whose text is kept in the URL parameter `name`. The / key focuses it. */
export function SearchField({ name = "q", label }: { name?: string; label: string }) {
  const [value, setValue] = useUrlState(name);
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const latestSetValue = useRef(setValue);
  latestSetValue.current = setValue;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = window.setTimeout(() => latestSetValue.current(text), DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [text, value]);
  useEffect(() => {
    const focusOnSlash = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (
        event.key !== "/" ||
        target.matches("input, textarea, select") ||
        document.querySelector("dialog[open]")
      )
        return;
      event.preventDefault();
      field.current?.focus();
    };
    window.addEventListener("keydown", focusOnSlash);
    return () => window.removeEventListener("keydown", focusOnSlash);
  }, []);
  return (
    <div className="relative w-64 max-sm:w-full">
      <span className="pointer-events-none absolute top-2 left-2 text-soft max-sm:top-3">
        <Icon name="search" />
      </span>
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 placeholder:text-soft max-sm:h-10"
      />
    </div>
  );
}

/** Filters a list by one value, kept in the URL parameter `name`. */
export function FilterSelect({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly (readonly [string, string])[];
}) {
  const [value, setValue] = useUrlState(name);
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => setValue(event.target.value)}
      className="h-8 max-w-48 rounded-md border border-line-strong bg-surface px-2 max-sm:h-10"
    >
      <option value="">{label}: all</option>
      {options.map(([id, text]) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  );
}
