import {
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { useToast } from "../ui/toast.tsx";
import type { Client, Params } from "./client.ts";
import { type Problem, toProblem } from "./problem.ts";

export const ClientContext = createContext<Client | null>(null);

export function useClient(): Client {
  return useContext(ClientContext)!;
}

interface GetOptions {
  readonly params?: Params;
  /** Fetches again at this interval, even without an event. */
  readonly refetchEveryMs?: number;
  /** Keeps the previous answer on screen while another path or other params load. */
  readonly keepPrevious?: boolean;
}

/**
 * Reads `/api` + `path`; sends nothing when `path` is undefined. The path is the query key: live events (`live-queries.ts`) and
 * an action's `invalidates` mark every answer below a path as stale.
 */
export function useGet<T>(path: string | undefined, options: GetOptions = {}): UseQueryResult<T, Problem> {
  const client = useClient();
  return useQuery<T, Problem>({
    queryKey: [path ?? "", options.params ?? null],
    queryFn: ({ signal }) => client.get<T>(path!, options.params, signal),
    enabled: path !== undefined,
    ...(options.refetchEveryMs === undefined ? {} : { refetchInterval: options.refetchEveryMs }),
    ...(options.keepPrevious ? { placeholderData: (previous: T | undefined) => previous } : {}),
  } as Parameters<typeof useQuery<T, Problem>>[0]);
}

/** Reads a list page by page; sends nothing when `path` is undefined. `next` returns the params of the next page, or undefined after the last. */
export function usePages<T>(
  path: string | undefined,
  params: Params,
  next: (page: T, pages: readonly T[]) => Params | undefined,
): UseInfiniteQueryResult<{ pages: T[] }, Problem> {
  const client = useClient();
  return useInfiniteQuery<T, Problem, { pages: T[] }, readonly [string, Params, "pages"], Params>({
    queryKey: [path ?? "", params, "pages"],
    queryFn: ({ pageParam, signal }) => client.get<T>(path!, { ...params, ...pageParam }, signal),
    enabled: path !== undefined,
    initialPageParam: {},
    getNextPageParam: (page, pages) => next(page, pages),
  });
}

interface Action<In, Out> {
  readonly run: (client: Client, input: In) => Promise<Out>;
  /** Shown as a toast when the action succeeds. */
  readonly successMessage?: string | ((out: Out, input: In) => string);
  /** Path prefixes of the answers that become stale. */
  readonly invalidates?: readonly string[];
  /** Shows no toast for a problem: the form shows it. */
  readonly quiet?: boolean;
}

export interface ActionState<In, Out> {
  /** Never throws. Resolves with undefined after a problem, which is then on screen. */
  run(input: In): Promise<Out | undefined>;
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  reset(): void;
}

/** An action that a person starts: sends it, shows how it went, and invalidates what it changed. */
export function useAction<In = void, Out = unknown>(action: Action<In, Out>): ActionState<In, Out> {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const { mutateAsync, isPending, error, reset } = useMutation<Out, Problem, In>({
    mutationFn: (input) => action.run(client, input),
  });
  return {
    isBusy: isPending,
    problem: error,
    reset,
    async run(input) {
      try {
        const out = await mutateAsync(input);
        if (action.invalidates) await invalidate(queries, action.invalidates);
        if (action.successMessage !== undefined)
          toast.show(
            typeof action.successMessage === "string"
              ? action.successMessage
              : action.successMessage(out, input),
          );
        return out;
      } catch (cause) {
        const problem = toProblem(cause);
        if (!action.quiet) toast.showProblem(problem);
        return undefined;
      }
    },
  };
}

/** Marks every answer below these paths as stale; those on screen are fetched again. */
export function invalidate(
  queries: ReturnType<typeof useQueryClient>,
  paths: readonly string[],
): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey }) => paths.some((path) => isBelow(String(queryKey[0]), path)),
  });
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
