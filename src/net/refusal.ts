import type { LookupAddress } from "node:dns";
import { FetchRefused } from "./fetch-refused.ts";
import { type Interfaces, whyNotPublic } from "./public-address.ts";
import { hostKey, type Trust } from "./trust.ts";

/**
 * Undefined when `host` may be reached at every one of `addresses`. One that may not refuses the host, and not only
 * itself: a name that leads inside as well as outside is a mistake or a trap, and the rest of it no safer.
 */
export function refusalOf(
  host: string,
  addresses: readonly LookupAddress[],
  trust: Trust,
  interfaces: () => Interfaces,
): FetchRefused | undefined {
  if (trust.hasHost(hostKey(host))) return undefined;
  if (isLocalName(host)) return refused(host, "this machine");
  const own = interfaces();
  for (const { address } of addresses) {
    const kind = trust.hasAddress(address) ? undefined : whyNotPublic(address, own);
    if (kind) return refused(host, address === host ? kind : `${address}, ${kind}`);
  }
  return undefined;
}

/** RFC 6761: these mean this machine, whatever a resolver says. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost$/.test(hostKey(host));
}

function refused(host: string, what: string): FetchRefused {
  return new FetchRefused(
    `${host} may not be reached: it is ${what}, and nobody allowed it. If it is meant, add ${hostKey(host)} to net.allow_hosts.`,
  );
}
