import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { Resolve } from "./connector.ts";
import type { Ports } from "./ports.ts";
import type { Interfaces } from "./public-address.ts";

/** What may be reached beside the public internet, and how it is found. */
export interface Reach {
  /**
   * What people named, and may be anywhere: host names, `*.` and a domain, addresses, ranges such as `10.0.0.0/8`,
   * all without port. Read at every request; a connection that is no longer trusted ends then.
   */
  readonly trustedHosts: () => ReadonlySet<string>;
  /** The setting in which people name them, for messages; default `net.allow_hosts`. */
  readonly setting?: string;
  /** Read at every request; default: every port that is not one of another protocol. */
  readonly ports?: () => Ports;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  /** Default: those of this machine. */
  readonly interfaces?: () => Interfaces;
}

/** With the defaults in the place of what is not given. */
export function reachOf(given: Reach): Required<Reach> {
  return {
    trustedHosts: given.trustedHosts,
    setting: given.setting ?? "net.allow_hosts",
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
