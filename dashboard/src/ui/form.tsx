import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import type { Problem } from "../api/problem.ts";
import { classes } from "./classes.ts";
import { Untrusted } from "./untrusted.tsx";

const LOOK =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm text-text placeholder:text-soft aria-invalid:border-bad disabled:opacity-60";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Gets the id that the label points at, and what describes the field. */
  readonly children: (given: {
    id: string;
    "aria-describedby"?: string;
    "aria-invalid"?: boolean;
  }) => ReactNode;
}

/** A field of a form with what it is called, what to write, and what is wrong with what was written. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        ...(note === undefined ? {} : { "aria-describedby": `${id}-note` }),
        ...(error === undefined ? {} : { "aria-invalid": true }),
      })}
      {note !== undefined && (
        <div id={`${id}-note`} className={classes("text-xs", error ? "text-bad" : "text-soft")}>
          {note}
        </div>
      )}
    </div>
  );
}

export function TextInput({ mono, ...rest }: InputHTMLAttributes<HTMLInputElement> & { mono?: boolean }) {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={classes(LOOK, "h-8 max-sm:h-10", mono && "font-mono text-xs")}
    />
  );
}

export function TextArea({
  mono,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { mono?: boolean }) {
  return (
    <textarea
      rows={4}
      spellCheck={false}
      {...rest}
      className={classes(LOOK, "py-1.5", mono && "font-mono text-xs")}
    />
  );
}

/** Options are pairs of the value and what people read. */
export function Select({
  options,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & { options: readonly (readonly [string, string])[] }) {
  return (
    <select {...rest} className={classes(LOOK, "h-8 max-sm:h-10")}>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { label: ReactNode; hint?: string }) {
  return (
    <label className="flex items-start gap-2">
      <input {...rest} type="checkbox" className="mt-0.5 size-4 shrink-0 accent-accent-fill" />
      <span className="min-w-0">
        {label}
        {hint && <span className="block text-xs text-soft">{hint}</span>}
      </span>
    </label>
  );
}

/** What the daemon did not like about a form, above its buttons. */
export function FormProblem({ problem }: { problem: Problem | null }) {
  if (!problem) return null;
  return (
    <div role="alert" className="rounded-md border border-bad bg-bad-soft px-3 py-2">
      <p className="font-medium text-bad">
        <Untrusted text={problem.message} />
      </p>
      <p>
        <Untrusted text={problem.remedy} />
      </p>
    </div>
  );
}
