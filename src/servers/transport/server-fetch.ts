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
  /** Hosts in private networks that may be reached all the same. */
  readonly allowHosts: readonly string[];
  readonly maxBytes: number;
}

export interface SessionFetchOptions {
  readonly transport: "http" | "sse";
  /** Signs requests; null where only the configured headers count. */
  readonly auth: ServerAuth | null;
  /** Told of every NeedsAuthError, because not every caller passes errors on. */
  readonly onRefused: (error: NeedsAuthError) => void;
  /** Told once, with the first answer that is no refusal. */
  readonly onAdmitted: () => void;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 307, 308]);
const MAX_URL_CHARS = 2048;
const MAX_SCOPE_CHARS = 4096;

/**
 * The only `fetch` for requests to a remote server and to whatever addresses it names. The client certificate is
 * shown to the server's own host alone. Rejects when its files cannot be read.
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
 * The `fetch` of a session with a remote server: stays with the server's own origin, sends the access token along, and
 * fails where no answer can come.
 */
export function sessionFetch(
  base: typeof fetch,
  { transport, auth, onRefused, onAdmitted }: SessionFetchOptions,
): typeof fetch {
  const sameOrigin = sameOriginFetch(base);
  const plain = transport === "http" ? answeringFetch(sameOrigin) : sameOrigin;
  // Streamable HTTP works without the stream that a GET opens; the older transport is that stream.
  const optional = transport === "http" ? ["GET"] : [];
  const signed = auth ? authorizedFetch(auth, plain, { optional, onRefused }) : plain;
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

/** 202 is for what wants no answer; the SDK would wait for one that cannot come. */
function answeringFetch(base: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await base(input, init);
    if (response.status === 202 && isRequest(init?.body))
      throw new Error("it took the request without an answer (HTTP 202)");
    return response;
  };
}

/** As the SDK writes them: a request begins with its method and ends with its id. */
function isRequest(body: unknown): boolean {
  return typeof body === "string" && body.startsWith('{"method"') && /"id":\d+\}$/.test(body);
}

/**
 * `fetch` that follows a redirect only to where the request was sent in the first place: its headers carry secrets
 * that are meant for that server alone, and `fetch` itself takes most of them along to any other.
 */
export function sameOriginFetch(base: typeof fetch = fetch): typeof fetch {
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
          `it redirects to ${next.origin}, which is not where it was looked for: if that is right, give the server that address`,
        );
      }
      if (redirects >= MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
      url = next;
    }
  };
}

interface AuthorizedFetchOptions {
  /** Methods of requests that may be refused without anybody having to act. */
  readonly optional: readonly string[];
  /** Told of every NeedsAuthError, because not every caller passes errors on. */
  readonly onRefused: (error: NeedsAuthError) => void;
}

/**
 * `fetch` that sends the server's access token along. A request refused with 401 is sent once more with a renewed
 * token, one refused for want of scopes once more where Toolkeep may widen them by itself. Rejects with a
 * NeedsAuthError where a person has to act.
 */
function authorizedFetch(
  auth: ServerAuth,
  base: typeof fetch,
  { optional, onRefused }: AuthorizedFetchOptions,
): typeof fetch {
  const send = async (input: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
    const { signal } = init;
    const authorized = async () => {
      const token = await unlessGivenUp(auth.token(), signal);
      return { token, response: await base(input, withToken(init, token)) };
    };
    // Ending a session is a courtesy, for which nothing is renewed.
    if (init.method === "DELETE") return await base(input, withToken(init, auth.held));

    let { token, response } = await authorized();
    if (optional.includes(init.method ?? "GET")) return response;
    if (response.status === 401) {
      await unlessGivenUp(auth.refused(token, await challengeOf(response)), signal);
      ({ token, response } = await authorized());
      if (response.status === 401) {
        await response.body?.cancel();
        throw await auth.refusedAgain();
      }
    }
    if (isInsufficient(response)) {
      await unlessGivenUp(auth.insufficient(token, await challengeOf(response)), signal);
      ({ token, response } = await authorized());
      if (isInsufficient(response)) await auth.insufficient(token, await challengeOf(response));
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

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

function isInsufficient(response: Response): boolean {
  return response.status === 403 && extractWWWAuthenticateParams(response).error === "insufficient_scope";
}

/** What the answer asks for, within bounds; the rest of it is dropped. */
async function challengeOf(response: Response): Promise<Challenge> {
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  const url = resourceMetadataUrl?.href;
  return {
    ...(url !== undefined && url.length <= MAX_URL_CHARS ? { resourceMetadataUrl: url } : {}),
    ...(scope !== undefined && scope.length <= MAX_SCOPE_CHARS ? { scope } : {}),
  };
}

/** Others may wait for the same token, so that giving up does not stop the work. */
function unlessGivenUp<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  // One signal for all requests of a transport: many listeners are no leak.
  setMaxListeners(0, signal);
  return unlessAborted(work, signal);
}
