/**
 * Control characters except tab and line feed, and characters that take no room, reverse text or only look like a
 * blank.
 */
export const HIDDEN_UNITS = String.raw`\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb`;
/** Matches each such character as a whole. */
export const HIDDEN = new RegExp(
  String.raw`[${HIDDEN_UNITS}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Cs}`,
  "gu",
);

/** Writes out every hidden character as JSON does. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (found) =>
    Array.from(
      { length: found.length },
      (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
