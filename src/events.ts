import type { OutcomeName } from "./tool.ts";

/** What the program tells whoever listens. Events inform; nothing may depend on one arriving. */
export interface EventMap {
  "call.started": { callId: string; tool: string; agent: string };
  "call.ended": { callId: string; tool: string; agent: string; outcome: OutcomeName; durationMs: number };
  "tools.changed": { source: string };
  "server.state": { server: string; state: string; detail?: string };
  "server.changed": { server: string; change: "added" | "changed" | "removed" };
  "agent.changed": { agent: string };
  "token.changed": { token: string; change: "created" | "revoked" };
  "toolbox.changed": { toolbox: string };
  "plugin.changed": { plugin: string; change: "added" | "changed" | "removed" };
  "project.changed": { project: string };
  "ticket.changed": { ticket: string; project: string };
  "task.changed": { task: string; agent: string; status: string };
  "question.asked": { id: string; agent: string; kind: string };
  "question.answered": { id: string };
  "question.dismissed": { id: string };
  "notification.raised": { id: string; title: string };
  "settings.applied": { files: readonly string[] };
  "settings.rejected": { file: string; message: string };
}

export type EventName = keyof EventMap;

/** Every event there is. */
export const EVENT_NAMES = [
  "call.started",
  "call.ended",
  "tools.changed",
  "server.state",
  "server.changed",
  "agent.changed",
  "token.changed",
  "toolbox.changed",
  "plugin.changed",
  "project.changed",
  "ticket.changed",
  "task.changed",
  "question.asked",
  "question.answered",
  "question.dismissed",
  "notification.raised",
  "settings.applied",
  "settings.rejected",
] as const satisfies readonly EventName[];

export type Listener<N extends EventName> = (payload: EventMap[N]) => void;

/** Typed publish and subscribe, synchronous. A listener that throws is reported and never stops the others. */
export class Events {
  readonly #listeners = new Map<EventName, Set<Listener<never>>>();
  readonly #onError: (error: unknown, event: EventName) => void;

  constructor(onError: (error: unknown, event: EventName) => void) {
    this.#onError = onError;
  }

  emit<N extends EventName>(name: N, payload: EventMap[N]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as Listener<N>)(payload);
      } catch (error) {
        this.#onError(error, name);
      }
    }
  }

  /** Returns the function that stops listening. */
  on<N extends EventName>(name: N, listener: Listener<N>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener as Listener<never>);
    return () => listeners.delete(listener as Listener<never>);
  }
}
