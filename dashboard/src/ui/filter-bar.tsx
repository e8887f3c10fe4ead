import { type ReactNode, useEffect, useRef, useState } from "react";
import { useUrlState } from "../app/location.ts";
import { Icon } from "./icon.tsx";

const PAUSE_MS = 150;

/** The line above a list: a search field, then whatever else narrows it, then how much is shown. */
export function FilterBar({ children, shown }: { children: ReactNode; shown?: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      {children}
      {shown !== undefined && (
        <span className="ml-auto text-xs whitespace-nowrap text-soft" aria-live="polite">
          {shown}
        </span>
      )}
    </div>
  );
}

/** A search field whose words live in the address under `name`. The key / leads to it. */
export function SearchField({ name = "q", label }: { name?: string; label: string }) {
  const [value, setValue] = useUrlState(name);
  const [typed, setTyped] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const change = useRef(setValue);
  change.current = setValue;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = window.setTimeout(() => change.current(typed), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, value]);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
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
    window.addEventListener("keydown", find);
    return () => window.removeEventListener("keydown", find);
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
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="h-8 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 placeholder:text-soft max-sm:h-10"
      />
    </div>
  );
}

/** Narrows a list by one of a few values; it lives in the address under `name`. */
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
      {options.map(([id, words]) => (
        <option key={id} value={id}>
          {words}
        </option>
      ))}
    </select>
  );
}
