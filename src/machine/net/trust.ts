import { hostName } from "../../lib/address/host-name.ts";
import { contains, parseAddress, parseRange } from "../../lib/address/ip-address.ts";

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
