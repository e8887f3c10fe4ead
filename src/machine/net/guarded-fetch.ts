import type { Response as UndiciResponse } from "undici";
import { boundedBody } from "./bounded-fetch.ts";
import type { ClientTls } from "./client-tls.ts";
import { Connections } from "./connections.ts";
import { FetchRefused } from "./fetch-refused.ts";
import { followSignal } from "./follow-signal.ts";
import { type Outgoing, outgoingOf } from "./outgoing.ts";
import { type Ports, portOf, refusalOfPort } from "./ports.ts";
import { type Reach, reachOf } from "./reach.ts";
import { followRedirects } from "./redirects.ts";

export interface GuardedFetchOptions extends Reach {
  /** For these hosts alone, named without port. A `ca` stands in place of the usual authorities. */
  readonly tls?: ClientTls & { readonly hosts: ReadonlySet<string> };
  /** Largest message accepted: one event in an event stream, else the whole body, decompressed. */
  readonly maxBytes: number;
  /** From asking for the address to the end of the TLS handshake; default 30 s. */
  readonly connectTimeoutMs?: number;
  /** An answer that begins or goes on only after this long is given up; default 15 min, 0: never. */
  readonly silenceMs?: number;
}

export interface GuardedFetch {
  readonly fetch: typeof fetch;
  /** Ends every connection, also those under way. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 30_000;
/** More than the longest tool call; callers with less patience bring a signal. */
const SILENCE_MS = 15 * 60_000;

/**
 * A `fetch` for URLs that strangers name. It reaches only the public internet and what people named, and connects
 * to exactly the address it has checked. No proxy, whatever the environment says: a proxy would resolve names
 * itself. Throws `FetchRefused` for what it does not do, else what `fetch` throws.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const reach = reachOf(options);
  const connections = new Connections({
    ...reach,
    tls: options.tls,
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    silenceMs: options.silenceMs ?? SILENCE_MS,
  });
  return {
    async fetch(input, init) {
      const given = await outgoingOf(input, init);
      const { signal, release } = followSignal(given.signal);
      const first = { ...given, signal };
      try {
        const { answer, request } = await followRedirects(first, (hop) =>
          sendChecked(hop, connections, reach.ports()),
        );
        const about = { url: request.url, wasRedirected: request !== first };
        return toResponse(answer, { ...about, maxBytes: options.maxBytes, onEnd: release });
      } catch (error) {
        release();
        throw error;
      }
    },
    close: () => connections.close(),
  };
}

async function sendChecked(
  request: Outgoing,
  connections: Connections,
  ports: Ports,
): Promise<UndiciResponse> {
  const { url } = request;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new FetchRefused(`a ${url.protocol} URL is not fetched; it has to begin with http:// or https://`);
  if (url.username || url.password)
    throw new FetchRefused(`the URL of ${url.host} holds a user name or password; it has to be without`);
  const refusal = refusalOfPort(url.hostname, portOf(url), ports);
  if (refusal) throw refusal;
  try {
    return await connections.send(request);
  } catch (error) {
    throw withHost(error, url);
  }
}

/** Undici says only "fetch failed"; the cause says why, and the host is what people know. */
function withHost(error: unknown, url: URL): unknown {
  if (!(error instanceof TypeError) || error.cause === undefined) return error;
  if (error.cause instanceof FetchRefused) return error.cause;
  return new TypeError(`the request to ${url.host} failed`, { cause: error.cause });
}

interface AnswerContext {
  readonly url: URL;
  readonly wasRedirected: boolean;
  readonly maxBytes: number;
  /** Called when there is no more of the answer to come. */
  readonly onEnd: () => void;
}

/** The MCP SDK asks for `instanceof Response`, which undici's own is not. */
function toResponse(
  answer: UndiciResponse,
  { url, wasRedirected, maxBytes, onEnd }: AnswerContext,
): Response {
  const { status, headers } = answer;
  const body = answer.body && boundedBody(answer.body, headers.get("content-type"), maxBytes, onEnd);
  if (body === null) onEnd();
  try {
    const response = new Response(body, {
      status,
      statusText: answer.statusText.replace(/[^ -~]/g, ""),
      headers: [...headers],
    });
    return Object.defineProperties(response, {
      url: { value: url.href.replace(/#.*$/, "") },
      redirected: { value: wasRedirected },
    });
  } catch (cause) {
    body?.cancel().catch(() => undefined); // nobody reads it
    throw new TypeError(`${url.host} answered with what is not HTTP (status ${status})`, { cause });
  }
}
