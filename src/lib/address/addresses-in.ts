/** The longest scheme that is recognised. */
const MAX_SCHEME = 32;
const SCHEME = /[a-z0-9+.-]/i;
const LETTER = /[a-z]/i;
/** Characters that separate the addresses of a list. They end an address only if another one follows. */
const SEPARATORS = ",;|'()[]{}";

export interface Addresses {
  readonly addresses: readonly string[];
  /** The text holds more addresses than the limit. */
  readonly more: boolean;
}

/**
 * Finds the addresses in a text, each from its scheme to the next character that `ends` (with the flag `g`) matches. An
 * address inside the path or query of another is part of that one. Takes linear time for every text.
 */
export function findAddresses(text: string, ends: RegExp, most: number): Addresses {
  const addresses: string[] = [];
  let end = 0;
  let start = -1;
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const begins = findSchemeStart(text, at);
    const isWithin = at < end && !SEPARATORS.includes(text[begins - 1]!);
    if (begins === at || isWithin) continue;
    if (start >= 0) addresses.push(text.slice(start, Math.min(end, begins)));
    if (addresses.length >= most) return { addresses, more: true };
    start = begins;
    if (end < at + 3) end = findEnd(text, at + 3, ends);
  }
  if (start >= 0) addresses.push(text.slice(start, end));
  return { addresses, more: false };
}

/** Returns where the scheme that ends at `at` begins; `at` itself if there is none. */
function findSchemeStart(text: string, at: number): number {
  let begins = at;
  while (begins > 0 && at - begins < MAX_SCHEME && SCHEME.test(text[begins - 1]!)) begins--;
  while (begins < at && !LETTER.test(text[begins]!)) begins++;
  return begins;
}

function findEnd(text: string, at: number, ends: RegExp): number {
  ends.lastIndex = at;
  return ends.exec(text)?.index ?? text.length;
}
