/** Server-sent events, as text: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { Writable } from "node:stream";
import { textLines } from "./lines.ts";

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies such as nginx would otherwise buffer events.
  "x-accel-buffering": "no",
} as const;

export interface ServerSentEvent {
  readonly event?: string;
  /** A reconnecting client names this as the last event that it saw. */
  readonly id?: string | undefined;
  /** How long a client should wait before it reconnects. */
  readonly retryMs?: number;
  /** A single line, such as JSON. */
  readonly data: string;
}

export function eventText({ event, id, retryMs, data }: ServerSentEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const number = id === undefined ? "" : `id: ${id}\n`;
  const retry = retryMs === undefined ? "" : `retry: ${retryMs}\n`;
  return `${name}${number}${retry}data: ${data}\n\n`;
}

/** A keep-alive that is not an event. With an id it advances the position of a reconnecting client. */
export function commentText(comment: string, id?: string): string {
  return id === undefined ? `: ${comment}\n\n` : `: ${comment}\nid: ${id}\n\n`;
}

/** Never waits for a reader: one with more than `maxUnreadBytes` unread is disconnected. */
export function sendEventText(to: Writable, text: string, maxUnreadBytes: number): void {
  if (to.destroyed) return;
  to.write(text);
  if (to.writableLength > maxUnreadBytes) to.destroy();
}

/** Yields the data of each event of a stream. */
export async function* eventData(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of textLines(stream)) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    yield data.join("\n");
    data = [];
  }
}
