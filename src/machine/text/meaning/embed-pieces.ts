import type { Vector } from "./embedder.ts";

export const EMBED_LIMITS = {
  /** The most pieces that may wait in the background, and for callers. */
  waiting: 10_000,
  urgent: 64,
  /** The most characters of one text. */
  chars: 8_192,
  /** After this many failures in a row an embedder is not used for a while. */
  failures: 3,
};

/** A few texts of one `embed`. */
export interface Piece {
  readonly texts: readonly string[];
  readonly done: (vectors: readonly Vector[] | undefined) => void;
}

/** Puts texts into a queue, `size` in a piece, then calls `begin`; undefined where a piece got no vectors. */
export async function embedInPieces(
  queue: Piece[],
  texts: readonly string[],
  size: number,
  begin: () => void,
): Promise<readonly Vector[] | undefined> {
  const pieces: Promise<readonly Vector[] | undefined>[] = [];
  for (let from = 0; from < texts.length; from += size)
    pieces.push(new Promise((done) => queue.push({ texts: texts.slice(from, from + size), done })));
  begin();
  const vectors = await Promise.all(pieces);
  return vectors.includes(undefined) ? undefined : vectors.flatMap((some) => some!);
}
