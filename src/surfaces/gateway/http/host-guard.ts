import type { IncomingHttpHeaders } from "node:http";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Settings } from "../../../machine/config/settings.ts";

/** In a URL these begin or end something else than the host. */
const NO_HOST = /[@/\\?#]/;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Headers that say who asks, for whom and what. Two of one kind could be read differently by a proxy and by us. */
const SINGLE_HEADERS = [
  "host",
  "authorization",
  "origin",
  "content-type",
  "content-length",
  "mcp-session-id",
  "mcp-protocol-version",
  "x-toolkeep",
];
/** A bit for each: every request is looked through. */
const SINGLE = new Map(SINGLE_HEADERS.map((name, at) => [name, 1 << at]));

export interface GuardedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders?: readonly string[];
}

/** The error to answer a request with, if any. */
export type HostGuard = (request: GuardedRequest) => ToolkeepError | undefined;

/**
 * Keeps web pages that a person happens to visit from reaching the daemon through their browser (DNS rebinding,
 * requests across origins). The returned check wants `Host`, and `Origin` where there is one, to name this
 * machine, the configured host or the public address, on any port, and no header of `SINGLE_HEADERS` twice.
 */
export function hostGuard(settings: Pick<Settings, "host" | "publicUrl">): HostGuard {
  const allowed = new Set(LOOPBACK).add(hostnameOf(`http://${bracketed(settings.host)}`) ?? settings.host);
  const publicName = hostnameOf(settings.publicUrl ?? "");
  if (publicName) allowed.add(publicName);

  let lastAllowed: string | undefined;
  return ({ headers, rawHeaders }) => {
    const repeated = rawHeaders && repeatedHeader(rawHeaders);
    if (repeated !== undefined)
      return new ToolkeepError("BAD_REQUEST", `the header ${repeated} must come once; it came more often`);
    const { host, origin } = headers;
    if (host === undefined || host !== lastAllowed) {
      if (!isAllowed(allowed, `http://${host ?? ""}`) || NO_HOST.test(host ?? ""))
        return refused("Host", host, allowed);
      // Clients of one daemon mostly name it in one way, and reading a URL costs more than the rest of the check.
      lastAllowed = host;
    }
    if (origin !== undefined && !isAllowed(allowed, origin)) return refused("Origin", origin, allowed);
    return undefined;
  };
}

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const bit = SINGLE.get(name) ?? 0;
    if ((seen & bit) !== 0) return name;
    seen |= bit;
  }
  return undefined;
}

function isAllowed(allowed: ReadonlySet<string>, url: string): boolean {
  if (!/^https?:/i.test(url)) return false;
  const name = hostnameOf(url);
  return name !== undefined && allowed.has(name);
}

function refused(header: string, came: string | undefined, allowed: ReadonlySet<string>): ToolkeepError {
  const value = came === undefined ? "nothing" : JSON.stringify(came.slice(0, 200));
  return new ToolkeepError(
    "HOST_REFUSED",
    `the ${header} header must name one of ${[...allowed].join(", ")}; got ${value}`,
  );
}

/** Lower case, an IPv6 address in brackets; undefined for what is no URL. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
