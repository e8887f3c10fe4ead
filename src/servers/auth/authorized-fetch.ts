import { setMaxListeners } from "node:events";
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { unlessAborted } from "../../lib/flow/unless-aborted.ts";
import { type Challenge, NeedsAuthError } from "./needs-auth-error.ts";
import type { ServerAuth } from "./server-auth.ts";

export interface AuthorizedFetchOptions {
  /** Methods of requests that may be refused without anybody having to act. */
  readonly optional: readonly string[];
  /** Told of every NeedsAuthError, because not every caller passes errors on. */
  readonly onRefused: (error: NeedsAuthError) => void;
}

const MAX_URL_CHARS = 2048;
const MAX_SCOPE_CHARS = 4096;

/**
 * `fetch` that sends the server's access token along. A request refused with 401 is sent once more with a renewed
 * token, one refused for want of scopes once more where Toolkeep may widen them by itself. Rejects with a
 * NeedsAuthError where a person has to act.
 */
export function authorizedFetch(
  auth: ServerAuth,
  base: typeof fetch,
  { optional, onRefused }: AuthorizedFetchOptions,
): typeof fetch {
  const send = async (input: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
    const { signal } = init;
    const authorized = async () => {
      const token = await awaited(auth.token(), signal);
      return { token, response: await base(input, withToken(init, token)) };
    };
    // Ending a session is a courtesy, for which nothing is renewed.
    if (init.method === "DELETE") return await base(input, withToken(init, auth.held));

    let { token, response } = await authorized();
    if (optional.includes(init.method ?? "GET")) return response;
    if (response.status === 401) {
      await awaited(auth.refused(token, await challengeOf(response)), signal);
      ({ token, response } = await authorized());
      if (response.status === 401) {
        await response.body?.cancel();
        throw await auth.refusedAgain();
      }
    }
    if (isInsufficient(response)) {
      await awaited(auth.insufficient(token, await challengeOf(response)), signal);
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
function awaited<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  // One signal for all requests of a transport: many listeners are no leak.
  setMaxListeners(0, signal);
  return unlessAborted(work, signal);
}
