import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extentOf } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { RPC, rpcError } from "./rpc-error.ts";

const MAX_BATCH = 100;
const MAX_DEPTH = 256;

/** The body of a POST as JSON, or the answer to one that is too large (413), no JSON or of no sane shape (400). */
export async function readJson(req: IncomingMessage, maxBytes: number): Promise<Result<unknown, Response>> {
  const body = await readBody(req, maxBytes);
  if (!body) {
    // Read on into nothing: a connection cut here would take the answer, or the next request on it, along.
    req.resume();
    return err(rpcError(413, RPC.refused, `a message may have at most ${maxBytes} bytes; this one has more`));
  }
  try {
    const message: unknown = JSON.parse(body.toString("utf8"));
    const problem = problemOf(message);
    return problem === undefined ? ok(message) : err(rpcError(400, RPC.invalidRequest, problem));
  } catch {
    return err(rpcError(400, RPC.parseError, "the body must be one JSON-RPC message; this is no valid JSON"));
  }
}

/**
 * The request in the form that the SDK takes, without its body, which is read before. Its signal aborts when the
 * client goes away before the answer is complete.
 */
export function toWebRequest(req: IncomingMessage, res: ServerResponse): Request {
  const gone = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) gone.abort(new Error("the client closed the connection"));
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // The authority is of no use to the SDK, and Host is the client's word.
  const url = new URL(req.url ?? "/", "http://toolkeep.invalid");
  return new Request(url, { method: req.method ?? "GET", headers, signal: gone.signal });
}

/** Resolves when the answer is complete or the client is gone, for an event stream only then. Never rejects. */
export async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  // Node writes its own Connection header, with the time after which it closes: clients that keep sockets need it.
  const { connection: _, ...headers } = Object.fromEntries(response.headers);
  if (!response.body || res.destroyed) {
    res.writeHead(response.status, headers).end();
    return;
  }
  if (!headers["content-type"]?.startsWith("text/event-stream")) {
    const body = Buffer.from(await response.arrayBuffer());
    res.writeHead(response.status, { ...headers, "content-length": body.byteLength }).end(body);
    return;
  }
  res.writeHead(response.status, headers);
  res.flushHeaders();
  // Rejects only because the client left, which ends the stream and is no failure.
  await pipeline(Readable.fromWeb(response.body), res).catch(() => {});
}

/** What would keep the whole daemon busy, or overflow its stack, before anything could refuse it. */
function problemOf(message: unknown): string | undefined {
  if (Array.isArray(message) && message.length > MAX_BATCH)
    return `a batch may have at most ${MAX_BATCH} messages; this one has ${message.length}`;
  return extentOf(message, MAX_DEPTH).tooDeep
    ? `a message may be nested at most ${MAX_DEPTH} levels deep; this one is deeper`
    : undefined;
}

async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
