const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 307, 308]);

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
