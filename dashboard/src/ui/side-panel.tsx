import { type ReactNode, useEffect, useId, useRef } from "react";
import { navigate } from "../app/location.ts";
import { IconButton } from "./button.tsx";
import { covers } from "./use-covers.ts";

interface SidePanelProps {
  readonly title: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** Where closing leads: the list. */
  readonly back: string;
  readonly children: ReactNode;
  /** What stays in reach however long the rest is: the buttons that decide. */
  readonly footer?: ReactNode;
}

/** One thing of a list, beside it: the list stays in view. On a phone it covers the list. Escape closes it. */
export function SidePanel({ title, actions, back, children, footer }: SidePanelProps) {
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => takeFocus(ref.current!), []);
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      navigate(back);
    };
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, [back]);
  return (
    <aside
      ref={ref}
      aria-labelledby={id}
      tabIndex={-1}
      className="flex outline-none w-[min(34rem,50vw)] shrink-0 flex-col border-l border-line bg-surface max-lg:absolute max-lg:inset-0 max-lg:z-20 max-lg:w-full max-lg:border-l-0"
    >
      <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 id={id} className="min-w-0 flex-1 truncate text-base font-semibold">
          {title}
        </h2>
        {actions}
        <IconButton icon="close" label="Close the details" onClick={() => navigate(back)} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      {footer && <footer className="border-t border-line bg-surface px-4 py-3">{footer}</footer>}
    </aside>
  );
}

/**
 * Whoever opened it by keys goes on inside it, and so does everybody where it covers the list. A pointer leaves the focus
 * on the row, from where arrow keys go on.
 */
function takeFocus(panel: HTMLElement): void {
  const at = document.activeElement;
  if (panel.contains(at) || document.querySelector("dialog[open]")) return;
  const isNowhere = at === null || at === document.body || at.id === "page";
  const isByKeys = !isNowhere && !isTyping(at) && at.matches(":focus-visible");
  if (isNowhere || isByKeys || covers()) panel.focus({ preventScroll: true });
}

/** A part of a panel, with a line above it. */
export function PanelSection({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="border-b border-line px-4 py-3 last:border-b-0">
      {title !== undefined && (
        <div className="mb-2 flex items-center justify-between gap-2">
          <h3 className="text-xs font-semibold tracking-wide text-soft uppercase">{title}</h3>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
