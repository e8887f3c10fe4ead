import { BoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";

const MINUTE_MS = 60_000;
/** The most keys that are remembered; the oldest is dropped. */
const MAX_KEYS = 10_000;

/**
 * Limits how often each of many keys may come. A full minute's allowance may be used at once and refills evenly over a
 * minute. Keeps one number for each key: the time at which its allowance is full again.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #rested = new BoundedMap<string, number>(MAX_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns 0 and counts one if the key may go ahead. Otherwise counts nothing and returns the milliseconds until the
   * next one may. A limit of 0 means no limit.
   */
  take(key: string, perMinute: number): number {
    if (perMinute <= 0) return 0;
    const now = this.#clock();
    const each = MINUTE_MS / perMinute;
    const kept = this.#rested.get(key);
    // A time more than a minute ahead comes from a clock that was set back, which must not lock anybody out.
    const rested = kept === undefined || kept < now || kept > now + MINUTE_MS + 1 ? now : kept;
    const wait = Math.ceil(rested - now - (MINUTE_MS - each));
    if (wait > 0) return wait;
    this.#rested.set(key, rested + each);
    return 0;
  }
}

/** Returns the part of an address that one attacker controls: in IPv6 a whole network of 64 bits. */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(":") ? findNetwork(address) : address;
}

/** Returns the first four groups of `2001:db8::1`, or as many as are written before `::`. */
function findNetwork(address: string): string {
  const [before = ""] = address.split("::", 1);
  return `${before.split(":").slice(0, 4).join(":")}::`;
}
