import { Emitter } from "../lib/emitter.ts";
import type { OutcomeName } from "./tool.ts";

/** A question that people can answer now, as a live list shows it. */
interface QuestionAskedEvent {
  id: string;
  agent: string;
  kind: string;
  prompt: string;
  createdAt: number;
  expiresAt: number;
  /** Only for an approval. The arguments are cut and in the form that people may see. */
  tool?: string;
  arguments?: string;
  rule?: string;
  /** The number of calls if the question stands for a batch. */
  calls?: number;
}

interface QuestionSettledEvent {
  id: string;
  kind: string;
  answer?: string;
  by?: string;
  from?: string;
}

/** The progress of a source's sync, in files. */
interface SyncProgressEvent {
  source: string;
  seen: number;
  added: number;
  changed: number;
  unchanged: number;
  gone: number;
  failed: number;
  chunks: number;
  total?: number;
}

/** The events of the program. Events inform; nothing may depend on one arriving. */
export interface EventMap {
  "call.started": { callId: string; tool: string; agent: string };
  "call.ended": { callId: string; tool: string; agent: string; outcome: OutcomeName; durationMs: number };
  "tools.changed": { source: string };
  "server.state": { server: string; state: string; detail?: string };
  "server.changed": { server: string; change: "added" | "changed" | "removed" };
  "agent.changed": { agent: string };
  "token.changed": { token: string; change: "created" | "revoked" };
  "person.changed": { person: string };
  "session.changed": { session: string; person: string; change: "opened" | "ended" };
  "toolbox.changed": { toolbox: string };
  "plugin.changed": { plugin: string; change: "added" | "changed" | "removed" };
  "project.changed": { project: string };
  "ticket.changed": { ticket: string; project: string };
  "task.changed": { task: string; agent: string; status: string };
  "question.asked": QuestionAskedEvent;
  "question.answered": QuestionSettledEvent;
  "question.dismissed": QuestionSettledEvent;
  "rules.changed": { stored: number };
  "secret.changed": { secret: string };
  "source.changed": { source: string; change: "added" | "changed" | "removed" };
  /** A memory was written, corrected, retracted or deleted. Its text is not included. */
  "memory.changed": { memory: string };
  "inbox.changed": { source: string };
  "sync.progress": SyncProgressEvent & { phase: string; rate: number };
  "sync.ended": SyncProgressEvent & { ok: boolean; error?: string; durationMs: number };
  "notification.raised": { id: string; title: string };
  "notification.dismissed": { id: string };
  "settings.applied": { files: readonly string[] };
  "settings.rejected": { file: string; message: string };
}

export type EventName = keyof EventMap;

/** The names of all events. */
export const EVENT_NAMES = [
  "call.started",
  "call.ended",
  "tools.changed",
  "server.state",
  "server.changed",
  "agent.changed",
  "token.changed",
  "person.changed",
  "session.changed",
  "toolbox.changed",
  "plugin.changed",
  "project.changed",
  "ticket.changed",
  "task.changed",
  "question.asked",
  "question.answered",
  "question.dismissed",
  "rules.changed",
  "secret.changed",
  "source.changed",
  "memory.changed",
  "inbox.changed",
  "sync.progress",
  "sync.ended",
  "notification.raised",
  "notification.dismissed",
  "settings.applied",
  "settings.rejected",
] as const satisfies readonly EventName[];

export type Listener<N extends EventName> = (payload: EventMap[N]) => void;

/** The event bus of one hub. */
export class Events extends Emitter<EventMap> {}
