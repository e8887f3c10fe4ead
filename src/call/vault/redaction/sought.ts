/** What a `Search` knows about the values. */
export interface Sought {
  /** For each known group of four characters, two bits in one word. */
  bits: Int32Array;
  /** How far a hash is shifted to become an index of `bits`. */
  shift: number;
  /** The length of the shortest spelling, and of the shortest with hex digits only. */
  shortest: number;
  shortestHex: number;
  /** How far a value may extend around a place that was found. */
  reach: number;
  /** One place in this many is looked at. */
  stride: number;
  hasBlanks: boolean;
  hasQuotes: boolean;
  /** 1: a value contains this character. The last entry is for all beyond 255. */
  readonly present: Uint8Array;
  /** 1: a backslash before this character may be an escape for a character of a value. */
  readonly hidden: Uint8Array;
  /** 1: the first of two characters (in the low byte) may begin an escape for a character of a value. */
  readonly pairs: Uint8Array;
  /** 1: such a pair, or the second character may be the first of one. Two lookups for four characters rule out every pair that begins in them. */
  readonly signs: Uint8Array;
  /** 1: after this character a line may end inside a value. */
  readonly lineEnds: Uint8Array;
  /** 1: an HTML entity whose first three letters have this hash may stand for a character of a value. */
  readonly names: Uint8Array;
}

export const MIX = 0x9e3779b1 | 0;

/** The two bits of a group of four characters. A single bit would be set by chance too often. */
export function mask(gram: number, mixed: number): number {
  return (1 << (mixed >>> 9)) | (1 << ((mixed >>> 4) ^ (gram >>> 16)));
}

export function knows({ bits, shift }: Sought, gram: number): boolean {
  const mixed = Math.imul(gram, MIX);
  const both = mask(gram, mixed);
  return (bits[mixed >>> shift]! & both) === both;
}
