import type { NetworkInterfaceInfo } from "node:os";
import { contains, parseAddress, parseRange, type Range } from "../address/ip-address.ts";

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Returns why `address` is not a public one, as a noun for a message; undefined if it is. `interfaces` are those of
 * this machine: its own addresses and those of its neighbours are refused even if they are public.
 */
export function explainNotPublic(address: string, interfaces: Interfaces): string | undefined {
  const parsed = parseAddress(address);
  if (parsed === undefined) return "not an address";
  const special = SPECIAL.find(({ range }) => contains(range, parsed));
  if (special) return special.kind;
  if (parsed.bits === 128 && !contains(GLOBAL_UNICAST, parsed)) return "a reserved address";
  if (listOwnRanges(interfaces).some((range) => contains(range, parsed)))
    return "an address of this machine or its network";
  return undefined;
}

/**
 * Returns the machine's own addresses, and in IPv6 also its networks, because homes and offices have public IPv6
 * addresses.
 */
function listOwnRanges(interfaces: Interfaces): Range[] {
  const own = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  return own.flatMap(({ address, family, cidr }) => {
    const network = family === "IPv6" && cidr ? parseRange(cidr) : undefined;
    const range = network && network.prefix >= SMALLEST_IPV6_PREFIX ? network : parseRange(address);
    return range ? [range] : [];
  });
}

/** The prefix of a site. A shorter one covers more than a neighbourhood. */
const SMALLEST_IPV6_PREFIX = 48;

/** The only IPv6 range assigned for the internet. All others are refused without a list. */
const GLOBAL_UNICAST = parseRange("2000::/3")!;

/** IANA's special-purpose registries, and addresses that clouds use internally. */
const SPECIAL = (
  [
    ["0.0.0.0/8", "an address of this machine"],
    ["10.0.0.0/8", "a private address"],
    ["100.64.0.0/10", "an address inside a provider's network"],
    ["127.0.0.0/8", "a loopback address"],
    ["168.63.129.16/32", "a cloud's own service"],
    ["169.254.0.0/16", "a link-local address, where clouds keep credentials"],
    ["172.16.0.0/12", "a private address"],
    ["192.0.0.0/24", "a reserved address"],
    ["192.0.2.0/24", "an address for documentation"],
    ["192.88.99.0/24", "a reserved address"],
    ["192.168.0.0/16", "a private address"],
    ["198.18.0.0/15", "an address for benchmarks"],
    ["198.51.100.0/24", "an address for documentation"],
    ["203.0.113.0/24", "an address for documentation"],
    ["224.0.0.0/4", "a multicast address"],
    ["255.255.255.255/32", "a broadcast address"],
    ["240.0.0.0/4", "a reserved address"],
    ["::/128", "an address of this machine"],
    ["::1/128", "a loopback address"],
    ["2001::/32", "an address of a Teredo tunnel"],
    ["2001::/23", "a reserved address"],
    ["2001:db8::/32", "an address for documentation"],
    ["2002::/16", "an address of a 6to4 tunnel"],
    ["3fff::/20", "an address for documentation"],
    ["fc00::/7", "a private address"],
    ["fe80::/10", "a link-local address"],
    ["fec0::/10", "a private address"],
    ["ff00::/8", "a multicast address"],
  ] as const
).map(([range, kind]) => ({ range: parseRange(range)!, kind }));
