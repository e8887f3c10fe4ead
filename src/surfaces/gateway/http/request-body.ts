import type { IncomingMessage } from "node:http";
import { parseExact } from "../../../lib/exact-json.ts";
import { extentOf } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { type HttpAnswer, RPC, rpcError } from "../messages.ts";
import { type BodyTaker, QuickRequest } from "./quick-request.ts";

const MAX_BATCH = 100;
const MAX_DEPTH = 256;

/** The body as JSON, or the answer to one that is too large (413), no JSON or of no sane shape (400). */
export type Body = Result<unknown, HttpAnswer>;

/** Rejects when the client goes away before it is complete. */
export function readJson(req: IncomingMessage, maxBytes: number): Promise<Body> {
  return withJson(req, maxBytes, (body) => Promise.resolve(body));
}

/** The same, for whoever must not wait a moment longer: `then` has the body as soon as it is there. */
export function withJson<T>(
  req: IncomingMessage,
  maxBytes: number,
  then: (body: Body) => Promise<T>,
): Promise<T> {
  if (isJson(req.headers["content-type"])) return readBody(req, maxBytes, then);
  req.resume();
  return then(err(rpcError(415, RPC.refused, "the Content-Type must be application/json")));
}

function parsed(body: Buffer): Body {
  try {
    const message: unknown = parseExact(body.toString("utf8"));
    const problem = problemOf(message, body.length);
    return problem === undefined ? ok(message) : err(rpcError(400, RPC.invalidRequest, problem));
  } catch {
    return err(rpcError(400, RPC.parseError, "the body must be one JSON-RPC message; this is no valid JSON"));
  }
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

function readBody<T>(req: IncomingMessage, maxBytes: number, then: (body: Body) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const taker: BodyTaker = {
      chunk(part) {
        const isTooLarge = size > maxBytes;
        size += part.length;
        if (size <= maxBytes) chunks.push(part);
        else if (!isTooLarge) {
          // Read on into nothing: a connection cut here would take the answer, or the next request on it, along.
          chunks.length = 0;
          resolve(then(err(tooLarge(maxBytes))));
        }
      },
      end(over) {
        if (size > maxBytes) return over();
        const answered = then(parsed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
        answered.then(over, over);
        resolve(answered);
      },
      gone: () => reject(new Error("the client closed the connection")),
    };
    if (!(req instanceof QuickRequest && req.takeBody(taker))) takeStream(req, taker);
  });
}

function takeStream(req: IncomingMessage, taker: BodyTaker): void {
  req.on("data", (chunk: Buffer) => taker.chunk(chunk));
  // Each comes once by itself.
  req.on("end", () => taker.end(nothing));
  req.on("error", () => taker.gone());
  req.on("close", () => {
    if (!req.complete) taker.gone();
  });
}

function nothing(): void {}

function tooLarge(maxBytes: number): HttpAnswer {
  const message = `a message may have at most ${maxBytes} bytes (max_message_bytes); this one has more`;
  return rpcError(413, RPC.refused, message);
}

/** What would keep the whole daemon busy, or overflow its stack, before anything could refuse it. */
function problemOf(message: unknown, bytes: number): string | undefined {
  if (Array.isArray(message) && message.length > MAX_BATCH)
    return `a batch may have at most ${MAX_BATCH} messages; this one has ${message.length}`;
  // Each level takes two characters at least.
  return bytes > MAX_DEPTH * 2 && extentOf(message, MAX_DEPTH).tooDeep
    ? `a message may be nested at most ${MAX_DEPTH} levels deep; this one is deeper`
    : undefined;
}
