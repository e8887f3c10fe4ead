/** What a `Search` has to know of the values. */
export interface Sought {
  /** One bit for what four characters are mixed to. */
  bits: Uint32Array;
  /** So far the mix is shifted to be a place in `bits`. */
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
  /** 1: of two characters, the first in the low byte, the first begins an escape that may hide one, or one ends a line of a value. 2: two blanks. */
  readonly pairs: Uint8Array;
  /** The same for two of which it is not known what follows: the second may begin an escape. */
  readonly lastPairs: Uint8Array;
  /** 1: an HTML name whose first three characters are mixed to this may hide one. */
  readonly names: Uint8Array;
}
