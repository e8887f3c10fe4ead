/** Longer texts are compared in pieces. */
export const LONGEST_PIECE = 128;

/**
 * Cuts a long text into pieces that overlap by at least one character. Where the whole text occurs, its pieces are found
 * and merged into one range; where a part occurs, most of that part is found. Pieces that repeat one character are left
 * out, unless the text has no others.
 */
export function piecesOf(text: string): Iterable<string> {
  if (text.length <= LONGEST_PIECE) return [text];
  const pieces = new Set<string>();
  const end = text.length - LONGEST_PIECE;
  for (let at = 0; at < end; at += LONGEST_PIECE - 1) pieces.add(text.slice(at, at + LONGEST_PIECE));
  pieces.add(text.slice(end));
  if (pieces.size === 1) return pieces;
  for (const piece of pieces) if (isRun(piece)) pieces.delete(piece);
  return pieces;
}

/** Whether a text repeats one character, which in most texts is a ruler or an indentation. */
export function isRun(text: string): boolean {
  return text === text.charAt(0).repeat(text.length);
}
