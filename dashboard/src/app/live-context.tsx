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
import { type Heard, type Live, listen } from "../api/live.ts";
import { STALE_AFTER, staleness } from "../api/live-queries.ts";
import { useClient } from "../api/use-api.ts";

const LiveContext = createContext<{ live: Live | null; listeners: Set<Heard> } | null>(null);

/** Keeps what is on screen true, and tells whoever listens what happens. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const client = useClient();
  const [live, setLive] = useState<Live | null>(null);
  const listeners = useRef(new Set<Heard>());
  useEffect(() => {
    const stale = staleness(queries);
    const heard: Heard = (name, payload) => {
      stale(name);
      for (const listener of listeners.current) listener(name, payload);
    };
    const opened = listen(Object.keys(STALE_AFTER), heard, () => client.get("/session"));
    setLive(opened);
    return () => opened.close();
  }, [queries, client]);
  return (
    <LiveContext value={{ live, listeners: listeners.current }}>
      {children}
      <ConnectionBar live={live} />
    </LiveContext>
  );
}

/** Hears every event for as long as the component is there: `useEvents((name, payload) => …)`. */
export function useEvents(heard: Heard): void {
  const { listeners } = useContext(LiveContext)!;
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => {
    const listener: Heard = (name, payload) => latest.current(name, payload);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [listeners]);
}

const nothing = () => () => {};

function ConnectionBar({ live }: { live: Live | null }) {
  const state = useSyncExternalStore(live?.subscribe ?? nothing, () => live?.state() ?? "connecting");
  if (state !== "lost") return null;
  return (
    <div
      role="alert"
      className="fixed inset-x-0 top-0 z-50 border-b border-warn bg-warn-soft px-4 py-1 text-center text-xs font-medium text-warn"
    >
      Connection lost, trying again … What you typed is kept.
    </div>
  );
}
