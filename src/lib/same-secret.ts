import { hash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in a time that reveals neither where they differ nor how long the right one is. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}
