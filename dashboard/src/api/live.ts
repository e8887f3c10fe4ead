import { BASE } from "../app/base.ts";

/** Names of events to what happened; `missed` stands for everything, `opened` for what came before the first connection. */
export type Heard = (name: string, payload: Readonly<Record<string, unknown>>) => void;
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
 * Listens to `/api/events` with one connection for all tabs of the browser, which has only six for one host: the tab that
 * holds the lock listens and tells the others. Reconnects for as long as it takes; after that `heard` gets `missed`.
 * Browsers lend no locks to pages of plain http from another machine: there each tab listens while it is in sight.
 */
export function listen(names: readonly string[], heard: Heard, stillHere: () => Promise<unknown>): Live {
  const locks = navigator.locks as LockManager | undefined;
  const alone = locks === undefined;
  const others = new BroadcastChannel(LOCK);
  const watchers = new Set<() => void>();
  const ended = new AbortController();
  let state: LiveState = "connecting";

  const become = (next: LiveState) => {
    if (next === state) return;
    if (next === "open") heard(state === "lost" ? "missed" : "opened", {});
    state = next;
    for (const changed of watchers) changed();
  };
  const tell = (message: Message) => {
    if (!alone) others.postMessage(message);
  };
  others.onmessage = ({ data }: MessageEvent<Message>) => {
    if (alone) return;
    if (data.kind === "event") heard(data.name, data.payload);
    else if (data.name !== "who") become(data.name as LiveState);
    else if (leading) tell({ kind: "state", name: state, payload: {} });
  };

  let leading = false;
  const lead = async () => {
    leading = true;
    let isFirst = true;
    while (!ended.signal.aborted) {
      const turn = new AbortController();
      const over = AbortSignal.any([ended.signal, turn.signal]);
      const hide = () => document.hidden && turn.abort();
      if (alone) {
        await untilSeen(ended.signal);
        document.addEventListener("visibilitychange", hide);
      }
      await oneConnection(names, over, {
        opened() {
          // Another tab listened until now, and nobody in between: all of them missed that.
          if (state === "open") heard("missed", {});
          if (isFirst) tell({ kind: "event", name: "missed", payload: {} });
          isFirst = false;
          become("open");
          tell({ kind: "state", name: "open", payload: {} });
        },
        heard(name, payload) {
          heard(name, payload);
          tell({ kind: "event", name, payload });
        },
      });
      document.removeEventListener("visibilitychange", hide);
      if (ended.signal.aborted) return;
      if (turn.signal.aborted) continue;
      become("lost");
      tell({ kind: "state", name: "lost", payload: {} });
      await stillHere().catch(() => {});
      await pause(RETRY_MS);
    }
  };
  tell({ kind: "state", name: "who", payload: {} });
  if (locks) void locks.request(LOCK, { signal: ended.signal }, lead).catch(() => {});
  else void lead();

  return {
    state: () => state,
    subscribe(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    close() {
      ended.abort();
      others.close();
    },
  };
}

interface Connection {
  opened(): void;
  readonly heard: Heard;
}

/** Resolves when the connection ends, however it does. */
function oneConnection(names: readonly string[], signal: AbortSignal, on: Connection): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(`${BASE}/api/events`);
    const end = () => {
      source.close();
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    source.onopen = () => on.opened();
    source.onerror = end;
    for (const name of [...names, "missed"])
      source.addEventListener(name, ({ data }: MessageEvent<string>) => on.heard(name, JSON.parse(data)));
  });
}

/** Resolves when the page is in sight, or when that no longer matters. */
function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}
