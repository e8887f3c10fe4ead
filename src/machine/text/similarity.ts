import { termsOf } from "./analyser.ts";

/** Returns the share of all terms that both texts have, from 0 to 1. Order does not count. */
export function similarity(one: string, other: string): number {
  const [left, right] = [new Set(termsOf(one)), new Set(termsOf(other))];
  if (left.size === 0 || right.size === 0) return one.trim() === other.trim() ? 1 : 0;
  let shared = 0;
  for (const term of left) if (right.has(term)) shared += 1;
  return shared / (left.size + right.size - shared);
}
