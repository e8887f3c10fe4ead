/** Decides where requests may go: the public internet, and hosts that people named. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { hostName } from "../address/host-name.ts";
import { contains, parseAddress, parseRange } from "../address/ip-address.ts";
import { explainNotPublic, type Interfaces } from "./public-address.ts";

/**
 * A request that was not sent, or not redirected, because it could reach or reveal something that it must not. A
 * TypeError, like every failure of `fetch` without an answer; the MCP SDK hides other errors during discovery.
 */
export class FetchRefused extends TypeError {
  override readonly name = "FetchRefused";
}

/** Returns every address of a host name; rejects if there is none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The hosts that may be reached besides the public internet, and how addresses are looked up. */
export interface Reach {
  /**
   * Hosts that people named, which may be anywhere: host names, `*.` and a domain, addresses, ranges such as
   * `10.0.0.0/8`, all without port. Read at every request; connections to hosts that are no longer trusted are closed
   * then.
   */
  readonly trustedHosts: () => ReadonlySet<string>;
  /** The name of the setting that lists them, for messages. */
  readonly setting?: string;
  /** Read at every request. Default: every port that does not belong to another protocol. */
  readonly ports?: () => Ports;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  /** Default: those of this machine. */
  readonly interfaces?: () => Interfaces;
}

/** Fills in the defaults. `setting` is the default for the setting's name. */
export function completeReach(given: Reach, setting: string): Required<Reach> {
  return {
    trustedHosts: given.trustedHosts,
    setting: given.setting ?? setting,
    ports: given.ports ?? (() => ({ allowed: [], setting: "" })),
    resolve: given.resolve ?? ((host) => lookup(host, { all: true })),
    interfaces: given.interfaces ?? ownInterfaces,
  };
}

/** Some systems hide them. This check is only one of several. */
function ownInterfaces(): Interfaces {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

export interface Bounds {
  readonly trust: Trust;
  /** The setting in which people can allow the host, for the message. */
  readonly setting: string;
  readonly interfaces: () => Interfaces;
}

/**
 * Returns undefined if `host` may be reached at every one of `addresses`. One forbidden address refuses the whole host:
 * a name that leads inside as well as outside is a mistake or a trap.
 */
export function findRefusal(
  host: string,
  addresses: readonly LookupAddress[],
  { trust, setting, interfaces }: Bounds,
): FetchRefused | undefined {
  if (trust.hasHost(hostKey(host))) return undefined;
  if (isLocalName(host)) return createRefusal(host, "this machine", setting);
  const own = interfaces();
  for (const { address } of addresses) {
    const kind = trust.hasAddress(address) ? undefined : explainNotPublic(address, own);
    if (kind) return createRefusal(host, address === host ? kind : `${address}, ${kind}`, setting);
  }
  return undefined;
}

/** RFC 6761: these names mean this machine, whatever a resolver says. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost$/.test(hostKey(host));
}

function createRefusal(host: string, what: string, setting: string): FetchRefused {
  return new FetchRefused(
    `${host} may not be reached: it is ${what}, and nobody allowed it. If it is meant, a person can add ${hostKey(host)} to ${setting}.`,
  );
}

/** Hosts that people named. They may be reached wherever they are. */
export interface Trust {
  /** `host` in the form of `hostKey`. */
  readonly hasHost: (host: string) => boolean;
  readonly hasAddress: (address: string) => boolean;
}

/**
 * Reads host names, `*.` and a domain (its subdomains, not itself), addresses and ranges such as `10.0.0.0/8`. Any
 * other entry trusts nothing.
 */
export function readTrust(entries: Iterable<string>): Trust {
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

/** Normalises a host for comparison. A glob or range stays as it is. */
export function hostKey(host: string): string {
  return /[*/]/.test(host) ? host.toLowerCase().replace(/\.$/, "") : hostName(host);
}

/** The allowed ports, and the setting that lists them. */
export interface Ports {
  /** Empty: every port that does not belong to another protocol. */
  readonly allowed: readonly number[];
  /** For the message. */
  readonly setting: string;
}

/** Returns undefined if `port` of `host` may be used. */
export function findPortRefusal(host: string, port: number, { allowed, setting }: Ports): Error | undefined {
  if (BAD_PORTS.has(port))
    return new FetchRefused(
      `port ${port} of ${host} is not asked: that port belongs to another protocol, and browsers refuse it too. Let the server listen on another one.`,
    );
  if (allowed.length === 0 || allowed.includes(port)) return undefined;
  return new FetchRefused(
    `port ${port} of ${host} may not be asked, only ${allowed.join(", ")}. If it is meant, a person can add it to ${setting}.`,
  );
}

/** Returns the port of `url`, or the default of its scheme. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/**
 * The bad ports of the Fetch Standard, which browsers refuse too: a program that listens there could take a request for
 * a command.
 */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
