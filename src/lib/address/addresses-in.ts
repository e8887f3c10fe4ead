/** No scheme is longer. */
const MAX_SCHEME = 32;
const SCHEME = /[a-z0-9+.-]/i;
const LETTER = /[a-z]/i;
/** Between two addresses of one list, and in none of them where another follows. */
const BETWEEN = ",;|'()[]{}";

export interface Addresses {
  readonly addresses: readonly string[];
  /** There are more than were wanted. */
  readonly more: boolean;
}

/**
 * The addresses in a text, each from its scheme to the next character that `ends` matches, which has the flag `g`. One
 * that stands in the path or query of another is part of that. Linear, whatever the text.
 */
export function addressesIn(text: string, ends: RegExp, most: number): Addresses {
  const addresses: string[] = [];
  let end = 0;
  let start = -1;
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const begins = schemeBefore(text, at);
    const isWithin = at < end && !BETWEEN.includes(text[begins - 1]!);
    if (begins === at || isWithin) continue;
    if (start >= 0) addresses.push(text.slice(start, Math.min(end, begins)));
    if (addresses.length >= most) return { addresses, more: true };
    start = begins;
    if (end < at + 3) end = endAfter(text, at + 3, ends);
  }
  if (start >= 0) addresses.push(text.slice(start, end));
  return { addresses, more: false };
}

/** Where the scheme begins that ends there; the same place where there is none. */
function schemeBefore(text: string, at: number): number {
  let begins = at;
  while (begins > 0 && at - begins < MAX_SCHEME && SCHEME.test(text[begins - 1]!)) begins--;
  while (begins < at && !LETTER.test(text[begins]!)) begins++;
  return begins;
}

function endAfter(text: string, at: number, ends: RegExp): number {
  ends.lastIndex = at;
  return ends.exec(text)?.index ?? text.length;
}
