import type { IncomingHttpHeaders } from "node:http";
import { LOOPBACK_NAMES } from "../address/loopback.ts";

/** Characters that begin or end another part of a URL than its host. */
const NO_HOST = /[@/\\?#]/;

export interface CheckedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternately, as received. */
  readonly rawHeaders?: readonly string[];
}

export type HostProblem =
  | { readonly kind: "repeated"; readonly header: string }
  | {
      readonly kind: "foreign";
      readonly header: "Host" | "Origin";
      readonly value: string | undefined;
      readonly allowed: readonly string[];
    };

export interface HostCheckOptions {
  /** Host names that are allowed besides those of this machine. An IPv6 address may be written without brackets. */
  readonly hosts: readonly string[];
  /** URLs whose host is allowed, too. A text that is not a URL is ignored. */
  readonly urls: readonly string[];
  /** Headers that may appear only once. At most 31. */
  readonly single: readonly string[];
}

/**
 * Keeps web pages that a person happens to visit from reaching a server through their browser (DNS rebinding, requests
 * across origins). `Host`, and `Origin` where there is one, must name this machine or an allowed host, on any port.
 * Two headers of one kind could be read differently by a proxy and by us, so those in `single` must come once.
 */
export class HostCheck {
  readonly #allowed: ReadonlySet<string>;
  /** One bit for each header that may appear once, because every request is checked. */
  readonly #single: ReadonlyMap<string, number>;
  /** Clients usually use one name for a server, and parsing a URL costs more than the rest of the check. */
  #lastAllowed: string | undefined;

  constructor({ hosts, urls, single }: HostCheckOptions) {
    const named = hosts.map((host) => hostnameOf(`http://${bracketed(host)}`) ?? host);
    const linked = urls.map(hostnameOf).filter((name) => name !== undefined);
    this.#allowed = new Set([...LOOPBACK_NAMES, ...named, ...linked]);
    this.#single = new Map(single.map((name, at) => [name, 1 << at]));
  }

  /** Returns why the request must be refused; undefined if it may be served. */
  problem({ headers, rawHeaders }: CheckedRequest): HostProblem | undefined {
    const repeated = rawHeaders && this.#repeated(rawHeaders);
    if (repeated !== undefined) return { kind: "repeated", header: repeated };
    const { host, origin } = headers;
    if (host === undefined || host !== this.#lastAllowed) {
      if (!this.#isAllowed(`http://${host ?? ""}`) || NO_HOST.test(host ?? ""))
        return this.#foreign("Host", host);
      this.#lastAllowed = host;
    }
    return origin === undefined || this.#isAllowed(origin) ? undefined : this.#foreign("Origin", origin);
  }

  #repeated(rawHeaders: readonly string[]): string | undefined {
    let seen = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]!.toLowerCase();
      const bit = this.#single.get(name) ?? 0;
      if ((seen & bit) !== 0) return name;
      seen |= bit;
    }
    return undefined;
  }

  #isAllowed(url: string): boolean {
    if (!/^https?:/i.test(url)) return false;
    const name = hostnameOf(url);
    return name !== undefined && this.#allowed.has(name);
  }

  #foreign(header: "Host" | "Origin", value: string | undefined): HostProblem {
    return { kind: "foreign", header, value, allowed: [...this.#allowed] };
  }
}

/** Returns the host in lower case, an IPv6 address in brackets; undefined if the text is not a URL. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
