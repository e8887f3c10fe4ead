const SCHEME = "toolkeep://";

/** The URI of a server's resource or template where another server has the same URI: `toolkeep://<server>/<uri>`. */
export function addressOf(server: string, uri: string): string {
  // The URI follows unencoded: encoding would break the expressions of a template.
  return `${SCHEME}${encodeURIComponent(server)}/${uri}`;
}

export interface Address {
  readonly server: string;
  readonly uri: string;
}

/** Undefined for every other URI. */
export function parseAddress(uri: string): Address | undefined {
  if (!isAddress(uri)) return undefined;
  const slash = uri.indexOf("/", SCHEME.length);
  if (slash < 0) return undefined;
  try {
    return { server: decodeURIComponent(uri.slice(SCHEME.length, slash)), uri: uri.slice(slash + 1) };
  } catch {
    return undefined;
  }
}

/** Whether only Toolkeep may issue this URI. */
export function isAddress(uri: string): boolean {
  return uri.slice(0, SCHEME.length).toLowerCase() === SCHEME;
}
