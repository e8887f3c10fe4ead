import { useCallback, useEffect, useReducer, useRef } from "react";
import type { AuditPage, AuditTail, CallView } from "../../api/contract.ts";
import { type Problem, toProblem } from "../../api/problem.ts";
import { useClient } from "../../api/use-api.ts";
import { useEvents } from "../../app/live-context.tsx";
import { type AuditFilters, toParams } from "./audit-filters.ts";

const PAGE_SIZE = 200;
/** Records are written up to 200 ms after the call. */
const AUDIT_DELAY_MS = 300;
const SECOND_FETCH_MS = 700;
/** More than the time between the first page and the start of the tail. */
const GAP_MS = 60_000;
/** How many new calls may wait to be shown. Beyond that, the list is fetched again. */
const MAX_FRESH = 2_000;
/** How many rows are kept as the list grows at the front. Older ones are fetched again when scrolled to. */
const MAX_ROWS = 5_000;
/** How many tail pages may be missed. Beyond that, the list is fetched again. */
const MAX_TAIL_PAGES = 20;
/** In place of a cursor: continue after the last row. */
const AFTER_LAST = "";

interface State {
  /** Newest first. */
  readonly rows: readonly CallView[];
  /** New calls that are not shown yet, because that would move the rows that the person is reading. */
  readonly fresh: readonly CallView[];
  readonly next: string | null;
  readonly cursor: string | undefined;
  readonly loading: boolean;
  readonly problem: Problem | null;
}

type RowsAction =
  | { readonly kind: "begin" }
  | { readonly kind: "loading" }
  | { readonly kind: "page"; readonly page: AuditPage; readonly first: boolean }
  | { readonly kind: "tail"; readonly tail: AuditTail; readonly show: boolean }
  | { readonly kind: "show" }
  | { readonly kind: "problem"; readonly problem: Problem };

const INITIAL: State = { rows: [], fresh: [], next: null, cursor: undefined, loading: true, problem: null };

export interface AuditRows extends State {
  readonly more: { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void };
  /** Moves the fresh calls to the front of the list. */
  show(): void;
  retry(): void;
}

/**
 * The matching calls, newest first: older pages on scroll, and new calls at the front as they are recorded. `canFollow` says whether
 * new calls may be shown immediately.
 */
export function useAuditRows(filters: AuditFilters, canFollow: () => boolean): AuditRows {
  const client = useClient();
  const [state, dispatch] = useReducer(reduce, INITIAL);
  const key = JSON.stringify(filters);
  const controllerRef = useRef<AbortController>(new AbortController());
  const latest = useRef(state);
  latest.current = state;

  const restart = useCallback(async () => {
    controllerRef.current.abort();
    controllerRef.current = new AbortController();
    const { signal } = controllerRef.current;
    dispatch({ kind: "begin" });
    try {
      const params = toParams(JSON.parse(key) as AuditFilters);
      const tail = client.get<AuditTail>("/audit/tail", params, signal);
      // The page request below fails for the same reason, and reports it.
      tail.catch(() => {});
      const page = await client.get<AuditPage>("/audit", { ...params, limit: PAGE_SIZE }, signal);
      dispatch({ kind: "page", page, first: true });
      const { cursor } = await tail;
      // The tail may start after a call that the page does not contain yet.
      const since = Math.max(Number(params.since ?? 0), page.calls[0]?.startedAt ?? Date.now() - GAP_MS);
      const { calls } = await client.get<AuditPage>("/audit", { ...params, since, limit: PAGE_SIZE }, signal);
      if (!signal.aborted) dispatch({ kind: "tail", tail: { calls, cursor }, show: true });
    } catch (error) {
      if (!signal.aborted) dispatch({ kind: "problem", problem: toProblem(error) });
    }
  }, [client, key]);
  useEffect(() => {
    void restart();
    return () => controllerRef.current.abort();
  }, [restart]);

  const load = useCallback(async () => {
    const { next, loading, rows } = latest.current;
    if (next === null || loading) return;
    const { signal } = controllerRef.current;
    dispatch({ kind: "loading" });
    try {
      const params = toParams(JSON.parse(key) as AuditFilters);
      const from = next === AFTER_LAST ? { until: rows.at(-1)?.startedAt } : { cursor: next };
      const page = await client.get<AuditPage>("/audit", { ...params, limit: PAGE_SIZE, ...from }, signal);
      dispatch({ kind: "page", page, first: false });
    } catch (error) {
      if (!signal.aborted) dispatch({ kind: "problem", problem: toProblem(error) });
    }
  }, [client, key]);

  const timer = useRef<number | undefined>(undefined);
  /** Fetches new calls. Resolves with false when some of them may be missing. */
  const fetchTail = useCallback(
    async (pages = 1) => {
      let { cursor } = latest.current;
      const { signal } = controllerRef.current;
      const params = toParams(JSON.parse(key) as AuditFilters);
      for (let page = 0; page < pages; page++) {
        if (cursor === undefined) return false;
        const answer = await client.get<AuditTail>("/audit/tail", { ...params, cursor }, signal);
        if (signal.aborted) return true;
        dispatch({ kind: "tail", tail: answer, show: canFollow() });
        if (answer.cursor === cursor) return true;
        cursor = answer.cursor;
      }
      return pages === 1;
    },
    [client, key, canFollow],
  );
  /** Fetches what was missed without moving the rows on screen, or restarts when that is not possible. */
  const catchUp = async () => {
    const { signal } = controllerRef.current;
    const isComplete = await fetchTail(MAX_TAIL_PAGES).catch(() => false);
    if (!isComplete && !signal.aborted) await restart();
  };
  /** Set when a call ends during a fetch, because it may be recorded only after that fetch. */
  const needsAnotherRef = useRef(false);
  const scheduleFetch = () => {
    needsAnotherRef.current = false;
    timer.current = window.setTimeout(() => {
      fetchTail().catch(ignoreError);
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        if (needsAnotherRef.current) scheduleFetch();
        else fetchTail().catch(ignoreError);
      }, SECOND_FETCH_MS);
    }, AUDIT_DELAY_MS);
  };
  useEvents((name) => {
    if (name === "missed") void catchUp();
    if (name !== "call.ended") return;
    if (timer.current === undefined) scheduleFetch();
    else needsAnotherRef.current = true;
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);

  return {
    ...state,
    more: { hasMore: state.next !== null, isLoading: state.loading, load: () => void load() },
    show: () => (latest.current.fresh.length >= MAX_FRESH ? void restart() : dispatch({ kind: "show" })),
    retry: () => void restart(),
  };
}

/** The next event, or the restored connection, triggers another fetch. */
const ignoreError = () => {};

function reduce(state: State, action: RowsAction): State {
  switch (action.kind) {
    case "begin":
      return INITIAL;
    case "loading":
      return { ...state, loading: true };
    case "page": {
      const previous = action.first ? [] : state.rows;
      const known = new Set(previous.slice(-PAGE_SIZE).map(({ id }) => id));
      const rows = [...previous, ...action.page.calls.filter(({ id }) => !known.has(id))];
      return { ...state, rows, next: action.page.next, loading: false, problem: null };
    }
    case "tail": {
      const rows = replaceEnded(state.rows, action.tail.calls);
      const fresh = mergeFresh([...action.tail.calls, ...state.fresh], rows).slice(0, MAX_FRESH);
      const next = { ...state, rows, cursor: action.tail.cursor, fresh };
      return action.show ? showFresh(next) : next;
    }
    case "show":
      return showFresh(state);
    case "problem":
      return { ...state, loading: false, problem: action.problem };
  }
}

function showFresh(state: State): State {
  if (state.fresh.length === 0) return state;
  const rows = [...state.fresh, ...state.rows];
  if (rows.length <= MAX_ROWS) return { ...state, rows, fresh: [] };
  return { ...state, rows: rows.slice(0, MAX_ROWS), fresh: [], next: AFTER_LAST };
}

/** A destructive call is recorded twice, before and after it runs: the second record replaces the first. */
function replaceEnded(rows: readonly CallView[], calls: readonly CallView[]): readonly CallView[] {
  const ended = new Map(calls.map((call) => [call.id, call]));
  return rows.some(({ id }) => ended.has(id)) ? rows.map((row) => ended.get(row.id) ?? row) : rows;
}

/** Removes duplicates and calls that are already listed; newest first. */
function mergeFresh(calls: readonly CallView[], rows: readonly CallView[]): readonly CallView[] {
  const known = new Set(rows.slice(0, MAX_FRESH).map(({ id }) => id));
  const byId = new Map<string, CallView>();
  for (const call of calls) if (!known.has(call.id) && !byId.has(call.id)) byId.set(call.id, call);
  return [...byId.values()].sort((a, b) => b.startedAt - a.startedAt);
}
