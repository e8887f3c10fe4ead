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
import { type Problem, problemOf } from "./problem.ts";

export const ClientContext = createContext<Client | null>(null);

export function useClient(): Client {
  return useContext(ClientContext)!;
}

interface GetOptions {
  readonly params?: Params;
  /** Ask again after so long though nothing was heard. */
  readonly everyMs?: number;
  /** Keep showing the last answer while another path or other params are asked for. */
  readonly keep?: boolean;
}

/**
 * Reads `/api` + `path`; `undefined` asks nothing. The path is the key: live events make what begins with a path stale
 * (`live-queries.ts`), and so does `changes` of an action.
 */
export function useGet<T>(path: string | undefined, options: GetOptions = {}): UseQueryResult<T, Problem> {
  const client = useClient();
  return useQuery<T, Problem>({
    queryKey: [path ?? "", options.params ?? null],
    queryFn: ({ signal }) => client.get<T>(path!, options.params, signal),
    enabled: path !== undefined,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.keep ? { placeholderData: (before: T | undefined) => before } : {}),
  } as Parameters<typeof useQuery<T, Problem>>[0]);
}

/**
 * Reads a list page by page; no path asks nothing. `next` says which params bring what follows a page; undefined: it was
 * the last.
 */
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
  /** What the person is told when it is done. */
  readonly done?: string | ((out: Out, input: In) => string);
  /** Paths whose answers are no longer true. */
  readonly changes?: readonly string[];
  /** A form shows the problem itself. */
  readonly quiet?: boolean;
}

export interface Doing<In, Out> {
  /** Never throws; undefined where there was a problem, which the person has been told. */
  run(input: In): Promise<Out | undefined>;
  readonly busy: boolean;
  readonly problem: Problem | null;
  reset(): void;
}

/** Something a person does. */
export function useAction<In = void, Out = unknown>(action: Action<In, Out>): Doing<In, Out> {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const { mutateAsync, isPending, error, reset } = useMutation<Out, Problem, In>({
    mutationFn: (input) => action.run(client, input),
  });
  return {
    busy: isPending,
    problem: error,
    reset,
    async run(input) {
      try {
        const out = await mutateAsync(input);
        if (action.changes) await invalidate(queries, action.changes);
        if (action.done !== undefined)
          toast.tell(typeof action.done === "string" ? action.done : action.done(out, input));
        return out;
      } catch (thrown) {
        const problem = problemOf(thrown);
        if (!action.quiet) toast.complain(problem);
        return undefined;
      }
    },
  };
}

/** Marks every answer whose path begins so as no longer true; what is on screen is read again. */
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
