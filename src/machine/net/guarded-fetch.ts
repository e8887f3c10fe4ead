import type { Response as UndiciResponse } from "undici";
import { boundedBody } from "../../lib/net/bounded-fetch.ts";
import { type ClientTls, Connections, type Outgoing } from "../../lib/net/connections.ts";
import {
  completeReach,
  FetchRefused,
  findPortRefusal,
  type Ports,
  portOf,
  type Reach,
} from "../../lib/net/reach.ts";

export interface GuardedFetchOptions extends Reach {
  /** Used only for these hosts, which are named without port. `ca` replaces the default authorities. */
  readonly tls?: ClientTls & { readonly hosts: ReadonlySet<string> };
  /** Largest message accepted: one event in an event stream, else the whole body, decompressed. */
  readonly maxBytes: number;
  /** The limit from the address lookup to the end of the TLS handshake; default 30 s. */
  readonly connectTimeoutMs?: number;
  /** The longest silence before or within an answer; default 15 min, 0: no limit. */
  readonly silenceMs?: number;
}

export interface GuardedFetch {
  readonly fetch: typeof fetch;
  /** Ends every connection, also those under way. */
  close(): Promise<void>;
}

/** The setting in which people name what may be reached, where it is no other. */
export const ALLOW_HOSTS = "net.allow_hosts";
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that hold no secret and mean the same everywhere. Every other stays with the origin it was meant for. */
const HARMLESS = new Set([
  "accept",
  "accept-language",
  "content-language",
  "content-type",
  "mcp-protocol-version",
  "user-agent",
]);
const OF_BODY = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
];

const CONNECT_TIMEOUT_MS = 30_000;
/** More than the longest tool call. Callers with less patience pass a signal. */
const SILENCE_MS = 15 * 60_000;

/**
 * A `fetch` for URLs that strangers name. It reaches only the public internet and what people named, and connects
 * to exactly the address it has checked. No proxy, whatever the environment says: a proxy would resolve names
 * itself. Throws `FetchRefused` for what it does not do, else what `fetch` throws.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const reach = completeReach(options, ALLOW_HOSTS);
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
  const refusal = findPortRefusal(url.hostname, portOf(url), ports);
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

/** Throws the TypeError that `fetch` throws for a URL or header that is none. */
async function outgoingOf(input: string | URL | Request, init: RequestInit = {}): Promise<Outgoing> {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init.headers ?? request?.headers);
  if (!headers.has("user-agent")) headers.set("user-agent", "toolkeep");
  const given = init.body ?? request?.body ?? null;
  return {
    url: new URL(request ? request.url : String(input)),
    method: init.method ?? request?.method ?? "GET",
    headers,
    body: given instanceof FormData ? await encoded(given, headers) : (given as Outgoing["body"]),
    signal: init.signal ?? request?.signal ?? null,
    redirect: init.redirect ?? request?.redirect ?? "follow",
    isIdentified: true,
  };
}

/** The form of the built-in fetch is a stranger to undici's; its bytes are not. */
async function encoded(form: FormData, headers: Headers): Promise<ArrayBuffer> {
  const carrier = new Response(form);
  if (!headers.has("content-type")) headers.set("content-type", carrier.headers.get("content-type")!);
  return carrier.arrayBuffer();
}

interface Follower {
  readonly signal: AbortSignal | null;
  /** Has to be called once nothing is left to abort. */
  readonly release: () => void;
}

/**
 * A signal for one request that aborts with `signal`. Fetch leaves its listener on a signal until the garbage is
 * collected, thousands of them on one that outlives its requests; this one is taken off by `release`.
 */
function followSignal(signal: AbortSignal | null): Follower {
  if (signal === null || signal.aborted) return { signal, release: () => {} };
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return { signal: controller.signal, release: () => signal.removeEventListener("abort", abort) };
}

/** The part of an answer that redirects need, for any fetch. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { cancel(): Promise<void> } | null;
}

/**
 * Sends `first` and goes where redirects point, as `first.redirect` says. `send` checks each URL. Secrets stay
 * with the origin they were sent to: headers and the client certificate are left behind, and a body that would have
 * to be repeated elsewhere refuses.
 */
export async function followRedirects<A extends Answer>(
  first: Outgoing,
  send: (request: Outgoing) => Promise<A>,
): Promise<{ readonly answer: A; readonly request: Outgoing }> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await send(request);
    const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
    if (location === null || first.redirect === "manual") return { answer, request };
    await answer.body?.cancel();
    if (first.redirect === "error")
      throw new FetchRefused(`${request.url.origin} redirects, which was not asked for`);
    if (redirects >= MAX_REDIRECTS)
      throw new FetchRefused(`${first.url.origin} redirects more than ${MAX_REDIRECTS} times`);
    request = redirected(request, answer.status, location);
  }
}

function redirected(from: Outgoing, status: number, location: string): Outgoing {
  const url = URL.canParse(location, from.url.href) ? new URL(location, from.url) : undefined;
  if (url === undefined) throw new FetchRefused(`${from.url.origin} redirects to what is not a URL`);
  const way = `${from.url.origin} redirects to ${url.origin}`;
  if (from.url.protocol === "https:" && url.protocol === "http:")
    throw new FetchRefused(
      `${way}, from https to http, which is not followed: ask for an https address there`,
    );

  const { method, headers, body } = changesToGet(from.method, status)
    ? { method: "GET", headers: without(from.headers, OF_BODY), body: null }
    : from;
  if (body instanceof ReadableStream)
    throw new FetchRefused(`${way}, but the body of the request was a stream and cannot be sent again`);
  if (url.origin === from.url.origin) return { ...from, url, method, headers, body };
  if (body !== null)
    throw new FetchRefused(
      `${way}, but the body of the request may hold secrets and is sent nowhere else: if that is right, use that address`,
    );
  return { ...from, url, method, headers: harmless(headers), body, isIdentified: false };
}

function changesToGet(method: string, status: number): boolean {
  const was = method.toUpperCase();
  if (status === 303) return was !== "GET" && was !== "HEAD";
  return was === "POST" && (status === 301 || status === 302);
}

function without(headers: Headers, names: readonly string[]): Headers {
  const kept = new Headers(headers);
  for (const name of names) kept.delete(name);
  return kept;
}

function harmless(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => HARMLESS.has(name)));
}
