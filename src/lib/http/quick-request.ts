import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Who takes a body as it comes. */
export interface BodyTaker {
  chunk(part: Buffer): void;
  /**
   * It is complete. `over` is to be called once the request is answered; until then, or until its connection ends, Node
   * holds the request.
   */
  end(over: () => void): void;
  /** The client went before it was. */
  gone(): void;
}

/** The headers that came last over a connection. */
interface Kept {
  readonly raw: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

const LENGTH = "content-length";
const kept = new WeakMap<Socket, Kept>();
/** Node reads them when they are first asked for, and lets others be put in their place. */
const headersOfNode = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, "headers");

/**
 * A request of Node that costs a call less time: its body goes to whoever takes it without the ways of a stream, and
 * headers that came before over the same connection are not read again. Where nobody takes the body it is the stream
 * that it always is.
 */
export class QuickRequest extends IncomingMessage {
  #taker: BodyTaker | undefined;
  #isStream = false;
  #hasHeaders = false;

  static {
    // TypeScript takes them for a field, which no accessor may stand in for.
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

  /** False where some of it may be in the stream already. */
  takeBody(taker: BodyTaker): boolean {
    if (this.#isStream || this.destroyed) return false;
    this.#taker = taker;
    return true;
  }

  /** How Node's parser hands over the body, part by part, with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const taker = this.#taker;
    if (taker === undefined) {
      this.#isStream = true;
      return super.push(chunk, encoding);
    }
    if (chunk !== null) taker.chunk(chunk);
    else {
      this.#taker = undefined;
      // Node is told of the end only after the answer, which must not wait for what a stream does then.
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

/** All but the length are the same with most requests of a client, and reading them takes longer than deciding a call. */
function headersAsBefore({ socket, rawHeaders }: IncomingMessage): IncomingHttpHeaders | undefined {
  const before = kept.get(socket);
  if (!before) return undefined;
  const length = lengthIfSame(rawHeaders, before.raw);
  return length === undefined ? undefined : { ...before.headers, [LENGTH]: length };
}

function keepHeaders({ socket, rawHeaders }: IncomingMessage, headers: IncomingHttpHeaders): void {
  // The only one that is a list, which a copy would share.
  if (headers[LENGTH] === undefined || headers["set-cookie"]) return;
  kept.set(socket, { raw: rawHeaders, headers: { ...headers } });
}

/** The length that these headers give, where they differ from those before in nothing else. */
function lengthIfSame(raw: readonly string[], before: readonly string[]): string | undefined {
  if (raw.length !== before.length) return undefined;
  let length: string | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i] !== before[i]) return undefined;
    const value = raw[i + 1]!;
    if (isLength(raw[i]!)) {
      // Two of them are refused by Node's parser, and would be too strange here.
      if (length !== undefined) return undefined;
      length = value;
    } else if (value !== before[i + 1]) return undefined;
  }
  return length;
}

function isLength(name: string): boolean {
  return name.length === LENGTH.length && name.toLowerCase() === LENGTH;
}
