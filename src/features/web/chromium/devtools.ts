import type { Readable, Writable } from "node:stream";
import { isRecord } from "../../../lib/json.ts";

export type DevtoolsEvent = (params: Readonly<Record<string, unknown>>) => void;

/** Chromium's debugging protocol over two pipes: JSON messages, each terminated by NUL. */
export interface Devtools {
  /** Rejects if Chromium reports an error, and once the pipes are closed. */
  send(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    session?: string,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Only one listener per method. */
  on(method: string, listener: DevtoolsEvent): void;
}

/** The largest message is a screenshot. A browser that a page has taken over could send anything. */
const MAX_MESSAGE = 64 * 1024 * 1024;

export function openDevtools(input: Writable, output: Readable): Devtools {
  const waiting = new Map<
    number,
    { resolve(result: Record<string, unknown>): void; reject(error: Error): void }
  >();
  const listeners = new Map<string, DevtoolsEvent>();
  let lastId = 0;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(closedError());
    waiting.clear();
  };

  const receive = (message: unknown) => {
    if (!isRecord(message)) return;
    const request = typeof message.id === "number" ? waiting.get(message.id) : undefined;
    if (request) {
      waiting.delete(message.id as number);
      if (isRecord(message.error)) request.reject(new Error(String(message.error.message)));
      else request.resolve(isRecord(message.result) ? message.result : {});
    } else if (typeof message.method === "string") {
      listeners.get(message.method)?.(isRecord(message.params) ? message.params : {});
    }
  };
  readMessages(output, receive, close);
  input.on("error", close);

  return {
    send(method, params = {}, session) {
      if (isClosed) return Promise.reject(closedError());
      const id = ++lastId;
      input.write(`${JSON.stringify({ id, method, params, ...(session && { sessionId: session }) })}\0`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    on: (method, listener) => void listeners.set(method, listener),
  };
}

function readMessages(output: Readable, receive: (message: unknown) => void, close: () => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  output.on("data", (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      receive(parse(Buffer.concat([...pieces, rest.subarray(0, end)])));
      pieces = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    pieces.push(rest);
    size += rest.length;
    if (size > MAX_MESSAGE) output.destroy();
  });
  output.once("close", close);
  output.on("error", close);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function closedError(): Error {
  return new Error("the browser has ended");
}
