import { BoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";

const MINUTE_MS = 60_000;
/** As many are remembered; the one that came first makes room. */
const MAX_KEYS = 10_000;

/**
 * How often each of many may come. A minute's worth may come at once, and comes back evenly over a minute. Of each only
 * one number is kept: the time at which it will have all of it again.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #rested = new BoundedMap<string, number>(MAX_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts one and returns 0 when it may go ahead, else counts nothing and returns the milliseconds after which the next
   * may. A limit of 0 is none.
   */
  take(key: string, perMinute: number): number {
    if (perMinute <= 0) return 0;
    const now = this.#clock();
    const each = MINUTE_MS / perMinute;
    const kept = this.#rested.get(key);
    // More than a minute ahead nobody gets, except by a clock that was set back, which must not lock anybody out.
    const rested = kept === undefined || kept < now || kept > now + MINUTE_MS + 1 ? now : kept;
    const wait = Math.ceil(rested - now - (MINUTE_MS - each));
    if (wait > 0) return wait;
    this.#rested.set(key, rested + each);
    return 0;
  }
}

/** The part of an address that one attacker holds: in IPv6 a whole network of 64 bits. */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(":") ? networkOf(address) : address;
}

/** Of `2001:db8::1` the first four groups, as far as they are written before any `::`. */
function networkOf(address: string): string {
  const [before = ""] = address.split("::", 1);
  return `${before.split(":").slice(0, 4).join(":")}::`;
}
