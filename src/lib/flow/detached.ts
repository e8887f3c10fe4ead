/** The same string by itself: a part of a long one keeps all of it in memory. For short strings that are kept. */
export function detached(part: string): string {
  return part.split("").join("");
}
