import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { giveFocusBack } from "./focus.ts";
import { useCovers } from "./use-covers.ts";

interface PageProps {
  readonly title: string;
  /** A sentence beside the title, while nothing is open. */
  readonly about?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** The side panel, where something is open. */
  readonly panel?: ReactNode;
}

/**
 * A page: its header, what it shows, and beside that the details of one thing. Where they cover the list nothing of it
 * can be reached; when they close the focus goes back to the row they were of, or to what opened them.
 */
export function Page({ title, about, actions, children, panel }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Toolkeep`;
  }, [title]);
  const isCovered = useCovers() && Boolean(panel);
  const list = useRef<HTMLDivElement>(null);
  useFocusBack(Boolean(panel), list);
  return (
    <div className="relative flex h-full min-h-0">
      <div ref={list} inert={isCovered} className="flex min-w-0 flex-1 flex-col bg-surface">
        <header className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
          <h1 className="text-lg font-semibold" tabIndex={-1}>
            {title}
          </h1>
          {about && !panel && <p className="min-w-0 flex-1 truncate text-soft max-sm:hidden">{about}</p>}
          {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
      {panel}
    </div>
  );
}

function useFocusBack(isOpen: boolean, list: RefObject<HTMLElement | null>): void {
  const opener = useRef<Element | null>(null);
  const before = useRef(isOpen);
  // Before the panel takes the focus: which element had it.
  if (isOpen && !before.current) opener.current = document.activeElement;
  useLayoutEffect(() => {
    const wasOpen = before.current;
    before.current = isOpen;
    if (isOpen || !wasOpen) return;
    // Somebody clicked elsewhere meanwhile.
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const row = list.current?.querySelector('[data-row] a[tabindex="0"]') ?? null;
    const isOfRow =
      opener.current === null || !opener.current.isConnected || opener.current.closest("[data-row]");
    giveFocusBack(isOfRow ? row : opener.current);
  }, [isOpen, list]);
}

/** What scrolls below the header, for pages that are no table. */
export function PageBody({ children }: { children: ReactNode }) {
  return <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>;
}
