import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { FuzzRequest } from "./fuzz-requests.ts";

/** Nothing that is asked for takes longer, unless it lasts until its client is gone. */
const LIMIT_MS = 3_000;
/** How long a stream, or a request that never comes to its end, is given to say something. */
const LISTEN_MS = 150;

export interface Answer {
  /** Undefined where the connection ended without one. */
  readonly status: number | undefined;
  /** With its headers. */
  readonly text: string;
}

/** Sends the bytes as they are, on a connection of their own: an HTTP client would refuse half of them. */
export async function send({ url }: { readonly url: string }, request: FuzzRequest): Promise<Answer> {
  const { body = Buffer.alloc(0), manner } = request;
  const socket = connect(url);
  const heard = listen(socket);
  const length = body.length + (manner === "lying" ? ((body.length % 3) - 1) * 5 : 0);
  socket.write(head(url, request, Math.max(0, length)));
  if (manner === "slow" || manner === "broken") {
    socket.write(body.subarray(0, body.length / 2));
    await delay(50);
    if (manner === "broken") socket.destroy();
    else socket.write(body.subarray(body.length / 2));
  } else socket.write(body);
  if (manner === "lying") heard.limit(LISTEN_MS);
  return heard.done;
}

export function connect(url: string): net.Socket {
  const { hostname, port } = new URL(url);
  return net.connect(Number(port), hostname).on("error", () => undefined);
}

/** Everything that comes until the other side ends it. */
export async function readAll(socket: net.Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  await closed(socket);
  return text;
}

/** However it ends. */
function closed(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

function head(url: string, { method, path, headers }: FuzzRequest, length: number): string {
  const { host } = new URL(url);
  const lines = Object.entries({ host, connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}content-length: ${length}\r\n\r\n`;
}

function listen(socket: net.Socket) {
  let text = "";
  let timer = setTimeout(() => socket.destroy(), LIMIT_MS);
  const limit = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), ms);
  };
  socket.setEncoding("utf8").on("data", (part) => {
    const wasStream = isStream(text);
    text += part;
    if (!wasStream && isStream(text)) limit(LISTEN_MS);
  });
  const done = closed(socket).then((): Answer => {
    clearTimeout(timer);
    return { status: statusOf(text), text };
  });
  return { done, limit };
}

function isStream(text: string): boolean {
  return /^content-type: text\/event-stream/im.test(text.slice(0, 1_000));
}

function statusOf(text: string): number | undefined {
  const [, status] = /^(?:HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)*HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}
