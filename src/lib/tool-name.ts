import { createHash } from "node:crypto";

const HASH_LENGTH = 6;

/** Lower-case letters, digits and `_`; every run of other characters becomes one `_`. */
export function sanitise(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
}

/** The name, cut where it must be, with a few characters that follow from `seed` in the place of its end. */
export function withHash(name: string, seed: string, maxLength: number): string {
  const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
  return `${name.slice(0, maxLength - HASH_LENGTH - 1)}_${hash}`;
}
