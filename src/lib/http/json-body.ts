import type { IncomingMessage } from "node:http";
import { parseExact } from "../exact-json.ts";
import { measureJson } from "../json.ts";
import { err, ok, type Result } from "../result.ts";
import { type BodyTaker, QuickRequest } from "./quick-request.ts";

export interface ShapeLimits {
  /** The most items of a body that is a list. */
  readonly maxItems: number;
  readonly maxDepth: number;
}

/** The reason for refusing a body. */
export type BodyProblem =
  | { readonly kind: "other_type" }
  | { readonly kind: "too_large"; readonly maxBytes: number }
  | { readonly kind: "no_json" }
  | { readonly kind: "too_many"; readonly items: number; readonly maxItems: number }
  | { readonly kind: "too_deep"; readonly maxDepth: number };

/** A body that was read. */
export interface JsonBody {
  readonly read: Result<unknown, BodyProblem>;
  /**
   * Call this once the request is answered. Only then Node is told that the request ended, so that no answer waits for
   * that.
   */
  readonly release: () => void;
}

/** Reads a body as JSON. Rejects when the client goes away before it is complete. */
export function readJson(req: IncomingMessage, maxBytes: number, shape: ShapeLimits): Promise<JsonBody> {
  if (isJson(req.headers["content-type"]))
    return new Promise((resolve, reject) => {
      const taker = new JsonTaker(maxBytes, shape, { resolve, reject });
      if (!(req instanceof QuickRequest && req.takeBody(taker))) takeStream(req, taker);
    });
  req.resume();
  return Promise.resolve({ read: err({ kind: "other_type" }), release: nothing });
}

interface Waiting {
  readonly resolve: (body: JsonBody) => void;
  readonly reject: (error: Error) => void;
}

class JsonTaker implements BodyTaker {
  readonly #maxBytes: number;
  readonly #shape: ShapeLimits;
  readonly #waiting: Waiting;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number, shape: ShapeLimits, waiting: Waiting) {
    this.#maxBytes = maxBytes;
    this.#shape = shape;
    this.#waiting = waiting;
  }

  chunk(part: Buffer): void {
    const maxBytes = this.#maxBytes;
    const isTooLarge = this.#size > maxBytes;
    this.#size += part.length;
    if (this.#size <= maxBytes) this.#chunks.push(part);
    else if (!isTooLarge) {
      // The rest is read and dropped: closing the connection here would also lose the answer, or the next request.
      this.#chunks.length = 0;
      this.#waiting.resolve({ read: err({ kind: "too_large", maxBytes }), release: nothing });
    }
  }

  end(release: () => void): void {
    if (this.#size > this.#maxBytes) {
      release();
      return;
    }
    const whole = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#waiting.resolve({ read: parseBody(whole, this.#shape), release });
  }

  gone(): void {
    this.#waiting.reject(new Error("the client closed the connection"));
  }
}

function parseBody(body: Buffer, shape: ShapeLimits): JsonBody["read"] {
  let value: unknown;
  try {
    value = parseExact(body.toString("utf8"));
  } catch {
    return err({ kind: "no_json" });
  }
  const problem = findShapeProblem(value, body.length, shape);
  return problem ? err(problem) : ok(value);
}

/** Refuses bodies that would block the process or overflow the stack before anything else could refuse them. */
function findShapeProblem(
  value: unknown,
  bytes: number,
  { maxItems, maxDepth }: ShapeLimits,
): BodyProblem | undefined {
  if (Array.isArray(value) && value.length > maxItems)
    return { kind: "too_many", items: value.length, maxItems };
  // Each level takes at least two characters.
  return bytes > maxDepth * 2 && measureJson(value, maxDepth).tooDeep
    ? { kind: "too_deep", maxDepth }
    : undefined;
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

function takeStream(req: IncomingMessage, taker: BodyTaker): void {
  req.on("data", (chunk: Buffer) => taker.chunk(chunk));
  // Node emits each of these events once.
  req.on("end", () => taker.end(nothing));
  req.on("error", () => taker.gone());
  req.on("close", () => {
    if (!req.complete) taker.gone();
  });
}

function nothing(): void {}
