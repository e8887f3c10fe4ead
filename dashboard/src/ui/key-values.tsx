import type { ReactNode } from "react";

/** A description list. Skips pairs whose value is null, undefined, "" or false. */
export function KeyValues({ pairs }: { pairs: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6.5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {pairs
        .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false)
        .map(([key, value]) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-soft">{key}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
