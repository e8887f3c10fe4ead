import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { restoreFocus } from "./focus.ts";
import { useIsNarrow } from "./use-is-narrow.ts";

interface PageProps {
  readonly title: string;
  /** A sentence beside the title, hidden while a panel is open. */
  readonly description?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** The side panel, when one is open. */
  readonly panel?: ReactNode;
}

/**
 * The page frame: header, content, and a side panel for one item. Where the panel covers the content, the content is inert.
 * When the panel closes, the focus returns to its row, or to the element that opened it.
 */
export function Page({ title, description, actions, children, panel }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Toolkeep`;
  }, [title]);
  const isCovered = useIsNarrow() && Boolean(panel);
  const list = useRef<HTMLDivElement>(null);
  useRestoreFocus(Boolean(panel), list);
  return (
    <div className="relative flex h-full min-h-0">
      <div ref={list} inert={isCovered} className="flex min-w-0 flex-1 flex-col bg-surface">
        <header className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
          <h1 className="text-lg font-semibold" tabIndex={-1}>
            {title}
          </h1>
          {description && !panel && (
            <p className="min-w-0 flex-1 truncate text-soft max-sm:hidden">{description}</p>
          )}
          {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
      {panel}
    </div>
  );
}

function useRestoreFocus(isOpen: boolean, list: RefObject<HTMLElement | null>): void {
  const opener = useRef<Element | null>(null);
  const wasOpenRef = useRef(isOpen);
  // Read before the panel takes the focus.
  if (isOpen && !wasOpenRef.current) opener.current = document.activeElement;
  useLayoutEffect(() => {
    const wasOpen = wasOpenRef.current;
    wasOpenRef.current = isOpen;
    if (isOpen || !wasOpen) return;
    // The person has focused something else in the meantime.
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const row = list.current?.querySelector('[data-row] a[tabindex="0"]') ?? null;
    const isOfRow =
      opener.current === null || !opener.current.isConnected || opener.current.closest("[data-row]");
    restoreFocus(isOfRow ? row : opener.current);
  }, [isOpen, list]);
}

/** The scroll area below the header, for pages that are not a table. */
export function PageBody({ children }: { children: ReactNode }) {
  return <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>;
}
