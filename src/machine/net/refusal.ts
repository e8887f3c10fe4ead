import type { LookupAddress } from "node:dns";
import { FetchRefused } from "./fetch-refused.ts";
import { type Interfaces, whyNotPublic } from "./public-address.ts";
import { hostKey, type Trust } from "./trust.ts";

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
