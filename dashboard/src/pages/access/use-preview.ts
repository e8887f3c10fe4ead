import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AccessChange, AccessPreview } from "../../api/contract.ts";
import type { Problem } from "../../api/problem.ts";
import { useClient } from "../../api/use-api.ts";

const PAUSE_MS = 200;

/** What a change would come to, asked anew a moment after it was last touched; undefined: nothing is changed. */
export function usePreview(change: AccessChange | undefined): UseQueryResult<AccessPreview, Problem> {
  const client = useClient();
  const settled = useSettled(change === undefined ? "" : JSON.stringify(change));
  return useQuery<AccessPreview, Problem>({
    queryKey: ["/access/preview", settled],
    queryFn: ({ signal }) => client.post<AccessPreview>("/access/preview", JSON.parse(settled), signal),
    enabled: settled !== "",
    placeholderData: (before) => before,
  });
}

/** The same value once it has stood still for a moment. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === settled) return;
    const timer = window.setTimeout(() => setSettled(value), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [value, settled]);
  return settled;
}
