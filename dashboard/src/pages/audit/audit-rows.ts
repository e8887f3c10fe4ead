import { useCallback, useEffect, useReducer, useRef } from "react";
import type { AuditPage, AuditTail, CallView } from "../../api/contract.ts";
import { type Problem, toProblem } from "../../api/problem.ts";
import { useClient } from "../../api/use-api.ts";
import { useEvents } from "../../app/live-context.tsx";
import { type AuditFilters, paramsOf } from "./audit-filters.ts";

const PAGE = 200;
/** Records are written up to 200 ms after the call that they tell of. */
const WRITTEN_MS = 300;
const AGAIN_MS = 700;
/** Between the first page and where the tail begins there is less than this. */
const GAP_MS = 60_000;
/** So many new ones wait to be shown; of more, the whole list is read anew. */
const MOST_NEW = 2_000;
/** So many are kept of a list that grows at the front; the older ones are read again by whoever scrolls there. */
const MOST_ROWS = 5_000;
/** What was missed comes in so many pieces; of more, the whole list is read anew. */
const MOST_PIECES = 20;
/** Instead of a cursor: what follows the last row. */
const AFTER_LAST = "";

interface State {
  /** Newest first. */
  readonly rows: readonly CallView[];
  /** Those that came since and are not shown, because that would move what somebody reads. */
  readonly fresh: readonly CallView[];
  readonly next: string | null;
  readonly cursor: string | undefined;
  readonly loading: boolean;
  readonly problem: Problem | null;
}

type Step =
  | { readonly kind: "begin" }
  | { readonly kind: "loading" }
  | { readonly kind: "page"; readonly page: AuditPage; readonly first: boolean }
  | { readonly kind: "tail"; readonly tail: AuditTail; readonly show: boolean }
  | { readonly kind: "show" }
  | { readonly kind: "problem"; readonly problem: Problem };

const NOTHING: State = { rows: [], fresh: [], next: null, cursor: undefined, loading: true, problem: null };

export interface AuditRows extends State {
  readonly more: { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void };
  /** Puts those that wait in front of the others. */
  show(): void;
  retry(): void;
}

/**
 * The calls that fit, newest first: page by page as somebody scrolls, and at the front as they are recorded. `follow` says whether
 * new ones may be shown at once.
 */
export function useAuditRows(filters: AuditFilters, follow: () => boolean): AuditRows {
  const client = useClient();
  const [state, dispatch] = useReducer(reduce, NOTHING);
  const key = JSON.stringify(filters);
  const run = useRef<AbortController>(new AbortController());
  const latest = useRef(state);
  latest.current = state;

  const begin = useCallback(async () => {
    run.current.abort();
    run.current = new AbortController();
    const { signal } = run.current;
    dispatch({ kind: "begin" });
    try {
      const params = paramsOf(JSON.parse(key) as AuditFilters);
      const tail = client.get<AuditTail>("/audit/tail", params, signal);
      // Who waits for the page hears of its problem; both have the same.
      tail.catch(() => {});
      const page = await client.get<AuditPage>("/audit", { ...params, limit: PAGE }, signal);
      dispatch({ kind: "page", page, first: true });
      const { cursor } = await tail;
      // The tail may begin after something that the page does not have yet.
      const since = Math.max(Number(params.since ?? 0), page.calls[0]?.startedAt ?? Date.now() - GAP_MS);
      const { calls } = await client.get<AuditPage>("/audit", { ...params, since, limit: PAGE }, signal);
      if (!signal.aborted) dispatch({ kind: "tail", tail: { calls, cursor }, show: true });
    } catch (error) {
      if (!signal.aborted) dispatch({ kind: "problem", problem: toProblem(error) });
    }
  }, [client, key]);
  useEffect(() => {
    void begin();
    return () => run.current.abort();
  }, [begin]);

  const load = useCallback(async () => {
    const { next, loading, rows } = latest.current;
    if (next === null || loading) return;
    const { signal } = run.current;
    dispatch({ kind: "loading" });
    try {
      const params = paramsOf(JSON.parse(key) as AuditFilters);
      const from = next === AFTER_LAST ? { until: rows.at(-1)?.startedAt } : { cursor: next };
      const page = await client.get<AuditPage>("/audit", { ...params, limit: PAGE, ...from }, signal);
      dispatch({ kind: "page", page, first: false });
    } catch (error) {
      if (!signal.aborted) dispatch({ kind: "problem", problem: toProblem(error) });
    }
  }, [client, key]);

  const timer = useRef<number | undefined>(undefined);
  /** False where nobody can say what came since. */
  const tail = useCallback(
    async (pieces = 1) => {
      let { cursor } = latest.current;
      const { signal } = run.current;
      const params = paramsOf(JSON.parse(key) as AuditFilters);
      for (let piece = 0; piece < pieces; piece++) {
        if (cursor === undefined) return false;
        const seen = await client.get<AuditTail>("/audit/tail", { ...params, cursor }, signal);
        if (signal.aborted) return true;
        dispatch({ kind: "tail", tail: seen, show: follow() });
        if (seen.cursor === cursor) return true;
        cursor = seen.cursor;
      }
      return pieces === 1;
    },
    [client, key, follow],
  );
  /** What is on screen stays where it is. */
  const catchUp = async () => {
    const { signal } = run.current;
    const isWhole = await tail(MOST_PIECES).catch(() => false);
    if (!isWhole && !signal.aborted) await begin();
  };
  /** A call that ends while this runs may be recorded only after the last look: then it looks once more. */
  const hasMore = useRef(false);
  const look = () => {
    hasMore.current = false;
    timer.current = window.setTimeout(() => {
      tail().catch(nothing);
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        if (hasMore.current) look();
        else tail().catch(nothing);
      }, AGAIN_MS);
    }, WRITTEN_MS);
  };
  useEvents((name) => {
    if (name === "missed") void catchUp();
    if (name !== "call.ended") return;
    if (timer.current === undefined) look();
    else hasMore.current = true;
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);

  return {
    ...state,
    more: { hasMore: state.next !== null, isLoading: state.loading, load: () => void load() },
    show: () => (latest.current.fresh.length >= MOST_NEW ? void begin() : dispatch({ kind: "show" })),
    retry: () => void begin(),
  };
}

/** The next event, or the connection when it is back, asks again. */
const nothing = () => {};

function reduce(state: State, step: Step): State {
  switch (step.kind) {
    case "begin":
      return NOTHING;
    case "loading":
      return { ...state, loading: true };
    case "page": {
      const before = step.first ? [] : state.rows;
      const known = new Set(before.slice(-PAGE).map(({ id }) => id));
      const rows = [...before, ...step.page.calls.filter(({ id }) => !known.has(id))];
      return { ...state, rows, next: step.page.next, loading: false, problem: null };
    }
    case "tail": {
      const changed = updated(state.rows, step.tail.calls);
      const fresh = newest([...step.tail.calls, ...state.fresh], changed).slice(0, MOST_NEW);
      const next = { ...state, rows: changed, cursor: step.tail.cursor, fresh };
      return step.show ? shown(next) : next;
    }
    case "show":
      return shown(state);
    case "problem":
      return { ...state, loading: false, problem: step.problem };
  }
}

function shown(state: State): State {
  if (state.fresh.length === 0) return state;
  const rows = [...state.fresh, ...state.rows];
  if (rows.length <= MOST_ROWS) return { ...state, rows, fresh: [] };
  return { ...state, rows: rows.slice(0, MOST_ROWS), fresh: [], next: AFTER_LAST };
}

/** A destructive call is there twice: when it is about to run, and when it has. */
function updated(rows: readonly CallView[], calls: readonly CallView[]): readonly CallView[] {
  const ended = new Map(calls.map((call) => [call.id, call]));
  return rows.some(({ id }) => ended.has(id)) ? rows.map((row) => ended.get(row.id) ?? row) : rows;
}

/** Each once, without those that are in the list, newest first. */
function newest(calls: readonly CallView[], rows: readonly CallView[]): readonly CallView[] {
  const known = new Set(rows.slice(0, MOST_NEW).map(({ id }) => id));
  const each = new Map<string, CallView>();
  for (const call of calls) if (!known.has(call.id) && !each.has(call.id)) each.set(call.id, call);
  return [...each.values()].sort((a, b) => b.startedAt - a.startedAt);
}
