import { setMaxListeners } from "node:events";
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { unlessAborted } from "../../lib/flow/unless-aborted.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import { readClientTls } from "../../machine/net/client-tls.ts";
import { createGuardedFetch, type GuardedFetch } from "../../machine/net/guarded-fetch.ts";
import { type Challenge, NeedsAuthError } from "../auth/needs-auth-error.ts";
import type { ServerAuth } from "../auth/server-auth.ts";

export interface ServerFetchOptions {
  readonly config: ServerConfig;
  /** Whether a person named the server's address; only then may it be in a private network. */
  readonly isPersonNamed: boolean;
  /** Hosts that may be reached although they are in private networks. */
  readonly allowHosts: readonly string[];
  readonly maxBytes: number;
}

export interface SessionFetchOptions {
  readonly transport: "http" | "sse";
  /** Signs requests; null if only the configured headers are sent. */
  readonly auth: ServerAuth | null;
  /** Called with every NeedsAuthError, because not every caller passes errors on. */
  readonly onRefused: (error: NeedsAuthError) => void;
  /** Called once, with the first answer that is not a refusal. */
  readonly onAdmitted: () => void;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 307, 308]);
const MAX_URL_CHARS = 2048;
const MAX_SCOPE_CHARS = 4096;

/**
 * The only `fetch` for requests to a remote server and to URLs that it names. Presents the client certificate only to the
 * server's own host. Rejects if the certificate's files cannot be read.
 */
export async function openServerFetch(options: ServerFetchOptions): Promise<GuardedFetch> {
  const { config, isPersonNamed, allowHosts, maxBytes } = options;
  const { hostname } = new URL(config.url!);
  const trusted = new Set([...(isPersonNamed ? [hostname] : []), ...allowHosts]);
  const tls = config.tls && (await readClientTls(config.tls));
  if (tls && !tls.ok) throw new Error(tls.error);
  return createGuardedFetch({
    trustedHosts: () => trusted,
    maxBytes,
    ...(tls ? { tls: { ...tls.value, hosts: new Set([hostname]) } } : {}),
  });
}

/**
 * The `fetch` of a session with a remote server: stays on the server's own origin, adds the access token, and fails
 * instead of waiting for an answer that cannot come.
 */
export function createSessionFetch(
  base: typeof fetch,
  { transport, auth, onRefused, onAdmitted }: SessionFetchOptions,
): typeof fetch {
  const sameOrigin = createSameOriginFetch(base);
  const plain = transport === "http" ? createAnsweringFetch(sameOrigin) : sameOrigin;
  // Streamable HTTP works without the stream that a GET opens; for the older transport that stream is everything.
  const optional = transport === "http" ? ["GET"] : [];
  const signed = auth ? createAuthorizedFetch(auth, plain, { optional, onRefused }) : plain;
  let isAdmitted = false;
  return async (input, init) => {
    const response = await signed(input, init);
    if (!isAdmitted && response.status !== 401 && response.status !== 403) {
      isAdmitted = true;
      onAdmitted();
    }
    return response;
  };
}

/** Rejects status 202 for a request: the SDK would wait for an answer that cannot come. */
function createAnsweringFetch(base: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await base(input, init);
    if (response.status === 202 && isRequest(init?.body))
      throw new Error("it took the request without an answer (HTTP 202)");
    return response;
  };
}

/** Relies on the SDK's order of keys: a request starts with its method and ends with its id. */
function isRequest(body: unknown): boolean {
  return typeof body === "string" && body.startsWith('{"method"') && /"id":\d+\}$/.test(body);
}

/**
 * Follows redirects only within the original origin: the headers carry secrets meant for that server alone, and plain
 * `fetch` would send most of them to any other origin.
 */
export function createSameOriginFetch(base: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let redirects = 0; ; redirects++) {
      const response = await base(url, { ...init, redirect: "manual" });
      const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
      if (location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.origin !== url.origin) {
        throw new Error(
          `it redirects to ${next.origin}, which is not its configured address: if that is right, configure that address`,
        );
      }
      if (redirects >= MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
      url = next;
    }
  };
}

interface AuthorizedFetchOptions {
  /** Methods of requests whose refusal needs no reaction. */
  readonly optional: readonly string[];
  /** Called with every NeedsAuthError, because not every caller passes errors on. */
  readonly onRefused: (error: NeedsAuthError) => void;
}

/**
 * Adds the server's access token. Repeats a request once with a renewed token after a 401, and once after missing scopes
 * if Toolkeep may widen them by itself. Rejects with NeedsAuthError if a person has to act.
 */
function createAuthorizedFetch(
  auth: ServerAuth,
  base: typeof fetch,
  { optional, onRefused }: AuthorizedFetchOptions,
): typeof fetch {
  const send = async (input: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
    const { signal } = init;
    const sendWithToken = async () => {
      const token = await unlessCancelled(auth.getToken(), signal);
      return { token, response: await base(input, addToken(init, token)) };
    };
    // Ending a session is a courtesy; no token is renewed for it.
    if (init.method === "DELETE") return await base(input, addToken(init, auth.currentToken));

    let { token, response } = await sendWithToken();
    if (optional.includes(init.method ?? "GET")) return response;
    if (response.status === 401) {
      await unlessCancelled(auth.handleRefusal(token, await readChallenge(response)), signal);
      ({ token, response } = await sendWithToken());
      if (response.status === 401) {
        await response.body?.cancel();
        throw await auth.handleSecondRefusal();
      }
    }
    if (isInsufficient(response)) {
      await unlessCancelled(auth.handleMissingScope(token, await readChallenge(response)), signal);
      ({ token, response } = await sendWithToken());
      if (isInsufficient(response)) await auth.handleMissingScope(token, await readChallenge(response));
    }
    return response;
  };
  return async (input, init) => {
    try {
      return await send(input, init);
    } catch (error) {
      if (error instanceof NeedsAuthError) onRefused(error);
      throw error;
    }
  };
}

function addToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

function isInsufficient(response: Response): boolean {
  return response.status === 403 && extractWWWAuthenticateParams(response).error === "insufficient_scope";
}

/** The server's challenge, within bounds; the body is dropped. */
async function readChallenge(response: Response): Promise<Challenge> {
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  const url = resourceMetadataUrl?.href;
  return {
    ...(url !== undefined && url.length <= MAX_URL_CHARS ? { resourceMetadataUrl: url } : {}),
    ...(scope !== undefined && scope.length <= MAX_SCOPE_CHARS ? { scope } : {}),
  };
}

/** Stops waiting but not the work, because others may wait for the same token. */
function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  // All requests of a transport share one signal, so many listeners are no leak.
  setMaxListeners(0, signal);
  return unlessAborted(work, signal);
}
