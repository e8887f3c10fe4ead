import { BASE } from "../app/base.ts";

/** Receives every event. `missed`: any event may have been missed. `opened`: the first connection is open. */
export type LiveListener = (name: string, payload: Readonly<Record<string, unknown>>) => void;
export type LiveState = "connecting" | "open" | "lost";

export interface Live {
  state(): LiveState;
  subscribe(changed: () => void): () => void;
  close(): void;
}

interface Message {
  readonly kind: "event" | "state";
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const LOCK = "toolkeep-events";
const RETRY_MS = 1_000;

/**
 * Listens to `/api/events` over one connection for all tabs, because a browser opens only six per host: the tab that holds
 * the lock connects and broadcasts to the others. Reconnects without a limit; `listener` then receives `missed`. Locks are
 * not available over plain HTTP from another machine; there each tab connects while it is visible.
 */
export function listen(
  names: readonly string[],
  listener: LiveListener,
  checkSession: () => Promise<unknown>,
): Live {
  const locks = navigator.locks as LockManager | undefined;
  const hasNoLocks = locks === undefined;
  const channel = new BroadcastChannel(LOCK);
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  let state: LiveState = "connecting";

  const setState = (next: LiveState) => {
    if (next === state) return;
    if (next === "open") listener(state === "lost" ? "missed" : "opened", {});
    state = next;
    for (const changed of watchers) changed();
  };
  const broadcast = (message: Message) => {
    if (!hasNoLocks) channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (hasNoLocks) return;
    if (data.kind === "event") listener(data.name, data.payload);
    else if (data.name !== "who") setState(data.name as LiveState);
    else if (isLeader) broadcast({ kind: "state", name: state, payload: {} });
  };

  let isLeader = false;
  const lead = async () => {
    isLeader = true;
    let isFirst = true;
    while (!closing.signal.aborted) {
      const attempt = new AbortController();
      const signal = AbortSignal.any([closing.signal, attempt.signal]);
      const abortWhenHidden = () => document.hidden && attempt.abort();
      if (hasNoLocks) {
        await waitUntilVisible(closing.signal);
        document.addEventListener("visibilitychange", abortWhenHidden);
      }
      await connectOnce(names, signal, {
        onOpen() {
          // Another tab held the connection before. All tabs may have missed events in between.
          if (state === "open") listener("missed", {});
          if (isFirst) broadcast({ kind: "event", name: "missed", payload: {} });
          isFirst = false;
          setState("open");
          broadcast({ kind: "state", name: "open", payload: {} });
        },
        onEvent(name, payload) {
          listener(name, payload);
          broadcast({ kind: "event", name, payload });
        },
      });
      document.removeEventListener("visibilitychange", abortWhenHidden);
      if (closing.signal.aborted) return;
      if (attempt.signal.aborted) continue;
      setState("lost");
      broadcast({ kind: "state", name: "lost", payload: {} });
      await checkSession().catch(() => {});
      await pause(RETRY_MS);
    }
  };
  broadcast({ kind: "state", name: "who", payload: {} });
  if (locks) void locks.request(LOCK, { signal: closing.signal }, lead).catch(() => {});
  else void lead();

  return {
    state: () => state,
    subscribe(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    close() {
      closing.abort();
      channel.close();
    },
  };
}

interface ConnectionHandlers {
  onOpen(): void;
  readonly onEvent: LiveListener;
}

/** Resolves when the connection ends, for whatever reason. */
function connectOnce(
  names: readonly string[],
  signal: AbortSignal,
  handlers: ConnectionHandlers,
): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(`${BASE}/api/events`);
    const end = () => {
      source.close();
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    source.onopen = () => handlers.onOpen();
    source.onerror = end;
    for (const name of [...names, "missed"])
      source.addEventListener(name, ({ data }: MessageEvent<string>) =>
        handlers.onEvent(name, JSON.parse(data)),
      );
  });
}

/** Resolves when the page is visible or `signal` aborts. */
function waitUntilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", check);
      signal.removeEventListener("abort", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check);
    signal.addEventListener("abort", check);
    check();
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}
