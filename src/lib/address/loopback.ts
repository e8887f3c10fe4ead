/** Names of this machine, as URLs and Host headers spell them. */
export const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Whether a URL's host is this machine; a name that only resolves to it is not. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAMES.has(hostname);
}
