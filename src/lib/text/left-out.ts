/** A tool that its server lists but that cannot be used. */
export interface LeftOut {
  /** The name for people; null if it cannot be shown. */
  readonly name: string | null;
  /** Continues a sentence: `its definition is larger than 256 kB`. */
  readonly reason: string;
}

const MOST_NAMED = 5;

/** Summarises the tools in one line; null if there are none. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string | null {
  const [first] = leftOut;
  if (first === undefined) return null;
  if (leftOut.length === 1) return `1 tool left out: ${first.reason}${first.name ? ` (${first.name})` : ""}`;
  const named = leftOut
    .slice(0, MOST_NAMED)
    .map(({ name, reason }) => `${name ?? "one without a name"} (${reason})`);
  const more = leftOut.length - named.length;
  return `${leftOut.length} tools left out: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
