/** Nothing longer is compared with a text at one place. */
export const LONGEST_PIECE = 128;

/**
 * A long text in pieces that overlap by a character or more, so that where it stands as a whole all of it is found as
 * one, and where a part of it stands, most of that. Runs of one character are left out unless it is nothing else.
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

/** One character again and again: a rule or an indentation, in most texts. */
export function isRun(text: string): boolean {
  return text === text.charAt(0).repeat(text.length);
}
