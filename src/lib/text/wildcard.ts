/** Compiles a pattern in which `*` stands for any characters. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*");
  return parts.length === 1 ? (text) => text === pattern : (text) => matches(parts, text);
}

/** Takes linear time: each part is searched once, from left to right. */
function matches(parts: readonly string[], text: string): boolean {
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, position);
    if (found < 0 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}

/** The limit for the steps of one match. */
const MAX_STEPS = 200_000;

/**
 * True if a pattern, split at its `*`, may match a text in which `unknown` also stands for any characters. True if
 * finding out would take too long.
 */
export function mayMatch(parts: readonly string[], text: string, unknown: string): boolean {
  const first = parts[0]!;
  const known = text.indexOf(unknown);
  const start = Math.min(first.length, known < 0 ? text.length : known);
  if (text.slice(0, start) !== first.slice(0, start)) return false;
  const pattern = parts.join("*");
  if (pattern.length * text.length > MAX_STEPS) return true;
  // The lengths of the text that the pattern so far can match.
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  spread(reached, text, unknown);
  for (const char of pattern.split("")) {
    const next = new Uint8Array(text.length + 1);
    let isAny = false;
    for (let at = 0; at <= text.length; at++) {
      if (char === "*") {
        isAny ||= reached[at] === 1;
        if (isAny) next[at] = 1;
      } else if (reached[at] === 1) {
        if (text[at] === char) next[at + 1] = 1;
        // The unknown matches this character and possibly more.
        if (text[at] === unknown) next[at] = 1;
      }
    }
    spread(next, text, unknown);
    reached = next;
  }
  return reached[text.length] === 1;
}

/** An unknown may be empty. */
function spread(reached: Uint8Array, text: string, unknown: string): void {
  for (let at = 0; at < text.length; at++) if (reached[at] === 1 && text[at] === unknown) reached[at + 1] = 1;
}
