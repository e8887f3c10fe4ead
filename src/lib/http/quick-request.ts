import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Receives a body part by part. */
export interface BodyTaker {
  chunk(part: Buffer): void;
  /**
   * The body is complete. Call `over` once the request is answered; until then, or until its connection ends, Node
   * keeps the request.
   */
  end(over: () => void): void;
  /** The client disconnected before the body was complete. */
  gone(): void;
}

/** The previous headers of a connection. */
interface Kept {
  readonly raw: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

const LENGTH = "content-length";
const kept = new WeakMap<Socket, Kept>();
/** Node parses headers on first access, and lets them be replaced. */
const headersOfNode = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "headers");

/**
 * A faster request: its body goes to a taker without passing a stream, and headers that are the same as in the previous
 * request of the connection are not parsed again. Without a taker the body is an ordinary stream.
 */
export class QuickRequest extends IncomingMessage {
  #taker: BodyTaker | undefined;
  #isStream = false;
  #hasHeaders = false;

  static {
    // TypeScript declares `headers` as a field, which an accessor cannot override.
    if (headersOfNode?.get && headersOfNode.set) {
      const { get, set } = headersOfNode;
      Object.defineProperty(QuickRequest.prototype, "headers", {
        ...headersOfNode,
        get(this: QuickRequest): IncomingHttpHeaders {
          if (this.#hasHeaders) return get.call(this);
          this.#hasHeaders = true;
          const same = headersAsBefore(this);
          if (same) set.call(this, same);
          const headers: IncomingHttpHeaders = get.call(this);
          if (!same) keepHeaders(this, headers);
          return headers;
        },
        set(this: QuickRequest, headers: IncomingHttpHeaders) {
          this.#hasHeaders = true;
          set.call(this, headers);
        },
      });
    }
  }

  /** Returns false if a part of the body may be in the stream already. */
  takeBody(taker: BodyTaker): boolean {
    if (this.#isStream || this.destroyed) return false;
    this.#taker = taker;
    return true;
  }

  /** Node's parser calls this with each part of the body, and with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const taker = this.#taker;
    if (taker === undefined) {
      this.#isStream = true;
      return super.push(chunk, encoding);
    }
    if (chunk !== null) taker.chunk(chunk);
    else {
      this.#taker = undefined;
      // Node is told of the end only after the answer, so that the answer does not wait for the work of a stream.
      taker.end(() => {
        this.resume();
        super.push(null);
      });
    }
    return true;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const taker = this.#taker;
    this.#taker = undefined;
    super._destroy(error, done);
    taker?.gone();
  }
}

/** Most requests of a client differ only in their length, and parsing headers takes longer than deciding a call. */
function headersAsBefore({ socket, rawHeaders }: IncomingMessage): IncomingHttpHeaders | undefined {
  const before = kept.get(socket);
  if (!before) return undefined;
  const length = lengthIfSame(rawHeaders, before.raw);
  return length === undefined ? undefined : { ...before.headers, [LENGTH]: length };
}

function keepHeaders({ socket, rawHeaders }: IncomingMessage, headers: IncomingHttpHeaders): void {
  // The only header that is a list, which a copy would share.
  if (headers[LENGTH] === undefined || headers["set-cookie"]) return;
  kept.set(socket, { raw: rawHeaders, headers: { ...headers } });
}

/** Returns the content length of these headers if they differ from the previous ones in nothing else. */
function lengthIfSame(raw: readonly string[], before: readonly string[]): string | undefined {
  if (raw.length !== before.length) return undefined;
  let length: string | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i] !== before[i]) return undefined;
    const value = raw[i + 1]!;
    if (isLength(raw[i]!)) {
      // Node's parser refuses two lengths; do not guess if they get here.
      if (length !== undefined) return undefined;
      length = value;
    } else if (value !== before[i + 1]) return undefined;
  }
  return length;
}

function isLength(name: string): boolean {
  return name.length === LENGTH.length && name.toLowerCase() === LENGTH;
}
