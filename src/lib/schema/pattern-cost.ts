/**
 * An upper bound for matching a regular expression: about `branches · length ** degree` steps for a text of that
 * length. Undefined if there is no known bound, because the match may take exponential time.
 */
export interface PatternCost {
  readonly branches: number;
  readonly degree: number;
}

const MAX_LENGTH = 1_000;
const MAX_BRANCHES = 1_000;
/** A repetition counts as one branch for each length if its lengths differ by at most this. */
const FEW_LENGTHS = 16;

/**
 * Overestimates: each repetition of variable length counts as if it could backtrack over every character, each choice
 * as if all of it were tried. A repetition of something that varies itself has no known bound.
 */
export function patternCost(pattern: string): PatternCost | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  const reader = new Reader(pattern);
  const cost = choice(reader);
  if (!cost || !reader.isAtEnd) return undefined;
  // Without an anchor the pattern is tried at every character.
  const degree = Math.max(1, cost.degree + (pattern.startsWith("^") && !cost.isChoice ? 0 : 1));
  const branches = cost.branches * Math.ceil(cost.length / FEW_LENGTHS);
  return cost.length > MAX_LENGTH || branches > MAX_BRANCHES ? undefined : { branches, degree };
}

interface Cost extends PatternCost {
  /** True if it can match texts of different lengths, or one text in several ways. */
  readonly varies: boolean;
  /** The characters that it reads, without unbounded repetitions. */
  readonly length: number;
  readonly isChoice?: boolean;
}

const ONE: Cost = { branches: 1, degree: 0, varies: false, length: 1 };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.#text.charAt(this.#at);
  }

  /** Consumes the text that matches here. */
  take(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function choice(reader: Reader): Cost | undefined {
  let cost = sequence(reader);
  while (cost && reader.take(/\|/y) !== undefined) {
    const other = sequence(reader);
    cost = other && {
      branches: cost.branches + other.branches,
      degree: Math.max(cost.degree, other.degree),
      varies: true,
      length: Math.max(cost.length, other.length),
      isChoice: true,
    };
  }
  return cost;
}

function sequence(reader: Reader): Cost | undefined {
  let cost = ONE;
  while (!reader.isAtEnd && reader.next !== "|" && reader.next !== ")") {
    const part = repeated(reader);
    if (!part) return undefined;
    cost = {
      branches: cost.branches * part.branches,
      degree: cost.degree + part.degree,
      varies: cost.varies || part.varies,
      length: cost.length + part.length,
    };
  }
  return cost;
}

const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;

function repeated(reader: Reader): Cost | undefined {
  const cost = atom(reader);
  const quantifier = cost && reader.take(QUANTIFIER);
  if (!cost || quantifier === undefined) return cost;
  const [least, most] = bounds(quantifier);
  if (least === 1 && most === 1) return cost;
  if (most <= 1) return { ...cost, branches: cost.branches + 1, varies: true };
  if (cost.varies) return undefined;
  if (most - least > FEW_LENGTHS) return { ...cost, degree: 1, varies: true };
  return { ...cost, branches: most - least + 1, varies: least !== most, length: cost.length * most };
}

function bounds(quantifier: string): readonly [number, number] {
  if (quantifier.startsWith("*")) return [0, Number.POSITIVE_INFINITY];
  if (quantifier.startsWith("+")) return [1, Number.POSITIVE_INFINITY];
  if (quantifier.startsWith("?")) return [0, 1];
  const [least = "", most] = quantifier.slice(1, quantifier.indexOf("}")).split(",");
  if (most === undefined) return [Number(least), Number(least)];
  return [Number(least), most === "" ? Number.POSITIVE_INFINITY : Number(most)];
}

const GROUP = /\((?:\?:|\?<[A-Za-z_]\w*>)?(?!\?)/y;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/y;
/** Excludes back references. */
const ESCAPED =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[\w=]+\}|[^\dkucxpP])/y;
const PLAIN = /[^\\[\](){}*+?|]/uy;

function atom(reader: Reader): Cost | undefined {
  if (reader.take(GROUP) !== undefined) {
    const inner = choice(reader);
    return reader.take(/\)/y) === undefined ? undefined : inner;
  }
  const isKnown = reader.take(CLASS) ?? reader.take(ESCAPED) ?? reader.take(PLAIN);
  return isKnown === undefined ? undefined : ONE;
}
