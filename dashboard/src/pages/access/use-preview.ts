import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AccessChange, AccessPreview } from "../../api/contract.ts";
import type { Problem } from "../../api/problem.ts";
import { useClient } from "../../api/use-api.ts";

const DEBOUNCE_MS = 200;

/** Previews the effect of a change, debounced. `undefined` when nothing is changed. */
export function usePreview(change: AccessChange | undefined): UseQueryResult<AccessPreview, Problem> {
  const client = useClient();
  const body = useDebounced(change === undefined ? "" : JSON.stringify(change));
  return useQuery<AccessPreview, Problem>({
    queryKey: ["/access/preview", body],
    queryFn: ({ signal }) => client.post<AccessPreview>("/access/preview", JSON.parse(body), signal),
    enabled: body !== "",
    placeholderData: (previous) => previous,
  });
}

/** Returns the value once it has not changed for a moment. */
export function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    if (value === debounced) return;
    const timer = window.setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [value, debounced]);
  return debounced;
}
