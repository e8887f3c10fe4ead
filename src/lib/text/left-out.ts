/** A tool that its server lists and nobody can use. */
export interface LeftOut {
  /** As it is shown to people; null where it has none that can be shown. */
  readonly name: string | null;
  /** Why, as a sentence goes on: `its definition is larger than 256 kB`. */
  readonly reason: string;
}

const MOST_NAMED = 5;

/** Says it in one line; null where nothing was left out. */
export function leftOutText(leftOut: readonly LeftOut[]): string | null {
  const [first] = leftOut;
  if (first === undefined) return null;
  if (leftOut.length === 1) return `1 tool left out: ${first.reason}${first.name ? ` (${first.name})` : ""}`;
  const named = leftOut
    .slice(0, MOST_NAMED)
    .map(({ name, reason }) => `${name ?? "one without a name"} (${reason})`);
  const more = leftOut.length - named.length;
  return `${leftOut.length} tools left out: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
