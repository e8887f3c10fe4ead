import type { ReactNode } from "react";
import type { Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { UntrustedText } from "./untrusted-text.tsx";

/** An empty list: say what belongs here and what to do next. */
export function EmptyState({
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

/** Placeholder lines while the content loads. */
export function LoadingState({ rows = 6, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
          key={index}
          className="h-4 animate-pulse rounded bg-hover"
          style={{ width: `${90 - (index % 4) * 15}%` }}
        />
      ))}
    </div>
  );
}

export function ErrorState({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div role="alert" className="m-4 rounded-md border border-bad bg-bad-soft px-4 py-3">
      <p className="font-medium text-bad">
        <UntrustedText text={problem.message} />
      </p>
      <p>
        <UntrustedText text={problem.remedy} />
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
 * Renders a query: placeholder lines, its problem, or its data. While there is data, a problem is not shown, unless it says
 * that the data is gone or that this person may no longer see it.
 */
export function QueryView<T>({
  query,
  children,
  rows = 6,
}: {
  query: { data: T | undefined; error: Problem | null; refetch(): unknown };
  children: (data: T) => ReactNode;
  rows?: number;
}) {
  if (query.data !== undefined && !isGone(query.error)) return children(query.data);
  if (query.error) return <ErrorState problem={query.error} retry={() => void query.refetch()} />;
  return <LoadingState rows={rows} />;
}

/** Whether the resource is gone, or no longer visible to the person who is signed in. */
export function isGone(problem: Problem | null): boolean {
  return problem !== null && [403, 404, 410].includes(problem.status);
}
