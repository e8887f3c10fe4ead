/** Where requests may go: the public internet, and what people named. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { hostName } from "../address/host-name.ts";
import { contains, parseAddress, parseRange } from "../address/ip-address.ts";
import { type Interfaces, whyNotPublic } from "./public-address.ts";

/**
 * A request that was not sent, or not sent on, because it could reach or reveal what it must not. A TypeError, as
 * `fetch` throws for every request that got no answer; the MCP SDK hides any other kind during discovery.
 */
export class FetchRefused extends TypeError {
  override readonly name = "FetchRefused";
}

/** Every address of a host name; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** What may be reached beside the public internet, and how it is found. */
export interface Reach {
  /**
   * What people named, and may be anywhere: host names, `*.` and a domain, addresses, ranges such as `10.0.0.0/8`,
   * all without port. Read at every request; a connection that is no longer trusted ends then.
   */
  readonly trustedHosts: () => ReadonlySet<string>;
  /** The setting in which people name them, for messages. */
  readonly setting?: string;
  /** Read at every request; default: every port that is not one of another protocol. */
  readonly ports?: () => Ports;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  /** Default: those of this machine. */
  readonly interfaces?: () => Interfaces;
}

/** With the defaults in the place of what is not given; `setting` in that of the setting. */
export function reachOf(given: Reach, setting: string): Required<Reach> {
  return {
    trustedHosts: given.trustedHosts,
    setting: given.setting ?? setting,
    ports: given.ports ?? (() => ({ allowed: [], setting: "" })),
    resolve: given.resolve ?? ((host) => lookup(host, { all: true })),
    interfaces: given.interfaces ?? ownInterfaces,
  };
}

/** Some systems keep them secret; what they are is one guard of several. */
function ownInterfaces(): Interfaces {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

export interface Bounds {
  readonly trust: Trust;
  /** Where people name what may be reached all the same, for the message. */
  readonly setting: string;
  readonly interfaces: () => Interfaces;
}

/**
 * Undefined when `host` may be reached at every one of `addresses`. One that may not refuses the host, and not only
 * itself: a name that leads inside as well as outside is a mistake or a trap, and the rest of it no safer.
 */
export function refusalOf(
  host: string,
  addresses: readonly LookupAddress[],
  { trust, setting, interfaces }: Bounds,
): FetchRefused | undefined {
  if (trust.hasHost(hostKey(host))) return undefined;
  if (isLocalName(host)) return refused(host, "this machine", setting);
  const own = interfaces();
  for (const { address } of addresses) {
    const kind = trust.hasAddress(address) ? undefined : whyNotPublic(address, own);
    if (kind) return refused(host, address === host ? kind : `${address}, ${kind}`, setting);
  }
  return undefined;
}

/** RFC 6761: these mean this machine, whatever a resolver says. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost$/.test(hostKey(host));
}

function refused(host: string, what: string, setting: string): FetchRefused {
  return new FetchRefused(
    `${host} may not be reached: it is ${what}, and nobody allowed it. If it is meant, a person can add ${hostKey(host)} to ${setting}.`,
  );
}

/** What people named: it may be reached wherever it is. */
export interface Trust {
  /** `host` as `hostKey` writes it. */
  readonly hasHost: (host: string) => boolean;
  readonly hasAddress: (address: string) => boolean;
}

/**
 * From host names, `*.` and a domain (its subdomains, not itself), addresses and ranges such as `10.0.0.0/8`. What
 * is none of these trusts nothing.
 */
export function trustIn(entries: Iterable<string>): Trust {
  const keys = [...entries].map(hostKey);
  const names = new Set(keys);
  const domains = keys.filter((key) => /^\*\.[^*]/.test(key)).map((key) => key.slice(1));
  const ranges = keys.flatMap((key) => parseRange(key) ?? []);
  const hasAddress = (address: string) => {
    const parsed = ranges.length > 0 ? parseAddress(address) : undefined;
    return parsed !== undefined && ranges.some((range) => contains(range, parsed));
  };
  return {
    hasHost: (host) => names.has(host) || domains.some((domain) => host.endsWith(domain)) || hasAddress(host),
    hasAddress,
  };
}

/** The one spelling of a host that is compared; a glob or a range stays as it is written. */
export function hostKey(host: string): string {
  return /[*/]/.test(host) ? host.toLowerCase().replace(/\.$/, "") : hostName(host);
}

/** Which ports may be asked, and where people say so. */
export interface Ports {
  /** Empty: every port that is not one of another protocol. */
  readonly allowed: readonly number[];
  /** For the message. */
  readonly setting: string;
}

/** Undefined when `port` of `host` may be asked. */
export function refusalOfPort(host: string, port: number, { allowed, setting }: Ports): Error | undefined {
  if (OF_OTHER_PROTOCOLS.has(port))
    return new FetchRefused(
      `port ${port} of ${host} is not asked: that port belongs to another protocol, and browsers refuse it too. Let the server listen on another one.`,
    );
  if (allowed.length === 0 || allowed.includes(port)) return undefined;
  return new FetchRefused(
    `port ${port} of ${host} may not be asked, only ${allowed.join(", ")}. If it is meant, a person can add it to ${setting}.`,
  );
}

/** The port of `url`, whether it says it or not. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Those that browsers refuse too (the Fetch Standard's bad ports): what listens there could take a request for a command. */
const OF_OTHER_PROTOCOLS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
