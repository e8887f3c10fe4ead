import { type ReactNode, useEffect } from "react";

interface PageProps {
  readonly title: string;
  /** A sentence beside the title. */
  readonly about?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** The side panel, where something is open. */
  readonly panel?: ReactNode;
}

/** A page: its header, what it shows, and beside that the details of one thing. */
export function Page({ title, about, actions, children, panel }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Toolkeep`;
  }, [title]);
  return (
    <div className="relative flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col bg-surface">
        <header className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
          <h1 className="text-lg font-semibold" tabIndex={-1}>
            {title}
          </h1>
          {about && <p className="min-w-0 flex-1 truncate text-soft max-sm:hidden">{about}</p>}
          {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
      {panel}
    </div>
  );
}

/** What scrolls below the header, for pages that are no table. */
export function PageBody({ children }: { children: ReactNode }) {
  return <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>;
}
