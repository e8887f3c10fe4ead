import type { ButtonHTMLAttributes, ReactNode } from "react";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";

type Look = "primary" | "plain" | "quiet" | "danger";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> {
  readonly look?: Look;
  readonly icon?: IconName;
  /** The action it started is still running. */
  readonly busy?: boolean;
  /** Ignores clicks for now. Unlike `disabled`, the button keeps the focus. */
  readonly notReady?: boolean;
  readonly children: ReactNode;
}

const LOOKS: Record<Look, string> = {
  primary: "bg-accent-fill text-on-accent border-transparent hover:brightness-110",
  plain: "bg-surface text-text border-line hover:bg-hover",
  quiet: "bg-transparent text-soft border-transparent hover:bg-hover hover:text-text",
  danger: "bg-surface text-bad border-line hover:bg-bad-soft",
};

export function buttonClasses(look: Look = "plain"): string {
  return classes(
    "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-2.5 text-sm font-medium whitespace-nowrap",
    "disabled:opacity-50 aria-disabled:opacity-50 max-sm:h-10",
    LOOKS[look],
  );
}

export function Button({
  look = "plain",
  icon,
  busy = false,
  notReady = false,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      onClick={notReady ? (event) => event.preventDefault() : rest.onClick}
      aria-disabled={notReady || undefined}
      disabled={rest.disabled || busy}
      aria-busy={busy}
      className={buttonClasses(look)}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** `label` is the accessible name and the tooltip. */
export function IconButton({
  icon,
  label,
  ...rest
}: { icon: IconName; label: string } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className">) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-text disabled:opacity-50 max-sm:size-10"
    >
      <Icon name={icon} />
    </button>
  );
}
