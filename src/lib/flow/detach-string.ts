/** Copies a string: a slice keeps the whole original in memory. For short strings that are kept for long. */
export function detachString(part: string): string {
  return part.split("").join("");
}
