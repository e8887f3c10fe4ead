import type { ReactNode } from "react";
import type { Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { Untrusted } from "./untrusted.tsx";

/** There is nothing here yet: what would be, and how it comes to be. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-base font-medium">{title}</p>
      {children && <div className="max-w-md text-soft">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** Grey lines where rows will be. */
export function Loading({ rows = 6, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          key={index}
          className="h-4 animate-pulse rounded bg-hover"
          style={{ width: `${90 - (index % 4) * 15}%` }}
        />
      ))}
    </div>
  );
}

export function Failed({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div role="alert" className="m-4 rounded-md border border-bad bg-bad-soft px-4 py-3">
      <p className="font-medium text-bad">
        <Untrusted text={problem.message} />
      </p>
      <p>
        <Untrusted text={problem.remedy} />
      </p>
      {retry && (
        <div className="mt-2">
          <Button icon="refresh" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * What a query shows: grey lines, its problem, or what it read. A problem while there is something to show is left out,
 * unless it says that this is not there any more or not for this person.
 */
export function Loaded<T>({
  query,
  children,
  rows = 6,
}: {
  query: { data: T | undefined; error: Problem | null; refetch(): unknown };
  children: (data: T) => ReactNode;
  rows?: number;
}) {
  if (query.data !== undefined && !isGone(query.error)) return children(query.data);
  if (query.error) return <Failed problem={query.error} retry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}

/** What was read is no longer there, or no longer to be seen by whoever is signed in. */
export function isGone(problem: Problem | null): boolean {
  return problem !== null && [403, 404, 410].includes(problem.status);
}
