/** What a `Search` has to know of the values. */
export interface Sought {
  /** Two bits, in one word, for four characters that may follow each other. */
  bits: Int32Array;
  /** So far what they are mixed to is shifted to be a place in `bits`. */
  shift: number;
  /** How long the shortest spelling is, and the shortest that has hex digits only. */
  shortest: number;
  shortestHex: number;
  /** So far around a place that is found a value may reach. */
  reach: number;
  /** One place in so many is looked at. */
  stride: number;
  hasBlanks: boolean;
  hasQuotes: boolean;
  /** 1: a value has this character. The last is for all beyond 255. */
  readonly present: Uint8Array;
  /** 1: a backslash before this character may hide one of a value. */
  readonly hidden: Uint8Array;
  /** 1: of two characters, the first in the low byte, the first begins an escape that may hide one. */
  readonly pairs: Uint8Array;
  /** 1: such a pair, or the second may be the first of one: two looks at four characters rule out every pair that begins in them. */
  readonly signs: Uint8Array;
  /** 1: after this character a line may end inside a value. */
  readonly lineEnds: Uint8Array;
  /** 1: an HTML name whose first three characters are mixed to this may hide one. */
  readonly names: Uint8Array;
}

export const MIX = 0x9e3779b1 | 0;

/** The two bits of four characters. One alone would be there by chance too often. */
export function mask(gram: number, mixed: number): number {
  return (1 << (mixed >>> 9)) | (1 << ((mixed >>> 4) ^ (gram >>> 16)));
}

export function knows({ bits, shift }: Sought, gram: number): boolean {
  const mixed = Math.imul(gram, MIX);
  const both = mask(gram, mixed);
  return (bits[mixed >>> shift]! & both) === both;
}
