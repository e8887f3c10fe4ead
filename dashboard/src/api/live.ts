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
 */
export function listen(names: readonly string[], heard: Heard, stillHere: () => Promise<unknown>): Live {
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
  const tell = (message: Message) => others.postMessage(message);
  others.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "event") heard(data.name, data.payload);
    else if (data.name !== "who") become(data.name as LiveState);
    else if (leading) tell({ kind: "state", name: state, payload: {} });
  };

  let leading = false;
  const lead = async () => {
    leading = true;
    while (!ended.signal.aborted) {
      await oneConnection(names, ended.signal, {
        opened() {
          // Another tab listened until now, and nobody in between.
          if (state === "open") heard("missed", {});
          become("open");
          tell({ kind: "state", name: "open", payload: {} });
        },
        heard(name, payload) {
          heard(name, payload);
          tell({ kind: "event", name, payload });
        },
      });
      if (ended.signal.aborted) return;
      become("lost");
      tell({ kind: "state", name: "lost", payload: {} });
      await stillHere().catch(() => {});
      await pause(RETRY_MS);
    }
  };
  tell({ kind: "state", name: "who", payload: {} });
  void navigator.locks.request(LOCK, { signal: ended.signal }, lead).catch(() => {});

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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}
