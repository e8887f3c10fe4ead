import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "../../../src/machine/net/guarded-fetch.ts";

/**
 * A guarded fetch that ends with its scope. Names under `.test` are on the loopback; `trusted` names what may be
 * reached.
 */
export function openFetch(
  trusted: readonly string[],
  options: Partial<GuardedFetchOptions> = {},
): GuardedFetch & AsyncDisposable {
  const guarded = createGuardedFetch({
    trustedHosts: () => new Set(trusted),
    maxBytes: 1_000_000,
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    ...options,
  });
  return { ...guarded, [Symbol.asyncDispose]: () => guarded.close() };
}

/** `url` of a server on the loopback, under another host name. */
export function under(host: string, url: string): string {
  const other = new URL(url);
  other.hostname = host;
  return other.href;
}
