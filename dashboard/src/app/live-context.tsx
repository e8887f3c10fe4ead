import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { type Live, type LiveListener, listen } from "../api/live.ts";
import { createInvalidator, STALE_AFTER } from "../api/live-queries.ts";
import { useClient } from "../api/use-api.ts";

const LiveContext = createContext<{ live: Live | null; listeners: Set<LiveListener> } | null>(null);

/** Keeps the page up to date with live events, and passes them on to `useEvents`. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const client = useClient();
  const [live, setLive] = useState<Live | null>(null);
  const listeners = useRef(new Set<LiveListener>());
  useEffect(() => {
    const invalidateFor = createInvalidator(queries);
    const dispatch: LiveListener = (name, payload) => {
      invalidateFor(name);
      for (const listener of listeners.current) listener(name, payload);
    };
    const connection = listen(Object.keys(STALE_AFTER), dispatch, () => client.get("/session"));
    setLive(connection);
    return () => connection.close();
  }, [queries, client]);
  return (
    <LiveContext value={{ live, listeners: listeners.current }}>
      {children}
      <ConnectionBar live={live} />
    </LiveContext>
  );
}

/** Calls `listener` for every event while the component is mounted: `useEvents((name, payload) => …)`. */
export function useEvents(listener: LiveListener): void {
  const { listeners } = useContext(LiveContext)!;
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const listener: LiveListener = (name, payload) => latest.current(name, payload);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [listeners]);
}

const subscribeToNothing = () => () => {};

function ConnectionBar({ live }: { live: Live | null }) {
  const state = useSyncExternalStore(
    live?.subscribe ?? subscribeToNothing,
    () => live?.state() ?? "connecting",
  );
  if (state !== "lost") return null;
  return (
    <div
      role="alert"
      className="fixed inset-x-0 top-0 z-50 border-b border-warn bg-warn-soft px-4 py-1 text-center text-xs font-medium text-warn"
    >
      Connection lost. Reconnecting… Your drafts are kept.
    </div>
  );
}
