import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import type { Problem } from "../api/problem.ts";
import { classes } from "./classes.ts";
import { UntrustedText } from "./untrusted-text.tsx";

const INPUT_CLASSES =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm text-text placeholder:text-soft aria-invalid:border-bad disabled:opacity-60";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Receives the id that the label points to, and the ARIA attributes. */
  readonly children: (inputProps: {
    id: string;
    "aria-describedby"?: string;
    "aria-invalid"?: boolean;
  }) => ReactNode;
}

/** A form field: label, input, and a hint that an error replaces. */
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
      className={classes(INPUT_CLASSES, "h-8 max-sm:h-10", mono && "font-mono text-xs")}
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
      className={classes(INPUT_CLASSES, "py-1.5", mono && "font-mono text-xs")}
    />
  );
}

/** `options` are pairs of value and label. */
export function Select({
  options,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & { options: readonly (readonly [string, string])[] }) {
  return (
    <select {...rest} className={classes(INPUT_CLASSES, "h-8 max-sm:h-10")}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
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

/** Why the daemon rejected a form. Place it above the buttons. */
export function FormProblem({ problem }: { problem: Problem | null }) {
  if (!problem) return null;
  return (
    <div role="alert" className="rounded-md border border-bad bg-bad-soft px-3 py-2">
      <p className="font-medium text-bad">
        <UntrustedText text={problem.message} />
      </p>
      <p>
        <UntrustedText text={problem.remedy} />
      </p>
    </div>
  );
}
