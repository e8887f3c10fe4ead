import { type ReactNode, useEffect, useId, useRef } from "react";
import { navigate } from "../app/location.ts";
import { IconButton } from "./button.tsx";
import { isNarrow } from "./use-is-narrow.ts";

interface SidePanelProps {
  readonly title: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** The URL to go to on close: the list. */
  readonly closeTo: string;
  readonly children: ReactNode;
  /** Stays visible while the content scrolls: the buttons that decide. */
  readonly footer?: ReactNode;
}

/** One item, shown beside its list; on a phone it covers the list. Escape closes it. */
export function SidePanel({ title, actions, closeTo, children, footer }: SidePanelProps) {
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => takeFocus(ref.current!), []);
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      navigate(closeTo);
    };
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, [closeTo]);
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
        <IconButton icon="close" label="Close details" onClick={() => navigate(closeTo)} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      {footer && <footer className="border-t border-line bg-surface px-4 py-3">{footer}</footer>}
    </aside>
  );
}

/**
 * Focuses the panel when it was opened by keyboard, or when it covers the list. After a click the focus stays on the row, so
 * that the arrow keys keep working there.
 */
function takeFocus(panel: HTMLElement): void {
  const current = document.activeElement;
  if (panel.contains(current) || document.querySelector("dialog[open]")) return;
  const isNowhere = current === null || current === document.body || current.id === "page";
  const isByKeyboard = !isNowhere && !isTyping(current) && current.matches(":focus-visible");
  if (isNowhere || isByKeyboard || isNarrow()) panel.focus({ preventScroll: true });
}

/** A section of a panel, separated by a line. */
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
