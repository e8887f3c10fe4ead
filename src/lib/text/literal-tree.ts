interface Node<T> {
  /** The text between the parent node and this one. */
  literal: string;
  readonly values: T[];
  /** Child nodes by the code of their first character. */
  readonly below: Map<number, Node<T>>;
}

/** A bit for the first character of a text modulo 32. Combined, the bits say which first characters occur in a list. */
export function beginningBit(text: string): number {
  return 1 << text.charCodeAt(0);
}

/** The same for the last character. */
export function endBit(text: string): number {
  return 1 << text.charCodeAt(text.length - 1);
}

const EVERY_BIT = -1;

/** Values by literal texts. Finds all literals with which a text begins (or ends) in one walk along it. */
export class LiteralTree<T> {
  readonly #root: Node<T> = { literal: "", values: [], below: new Map() };
  readonly #isFromEnd: boolean;
  /** The bits of all first (or last) characters. */
  #bits = 0;

  constructor(side: "beginning" | "end") {
    this.#isFromEnd = side === "end";
  }

  add(literal: string, value: T): void {
    this.#bits |= literal === "" ? EVERY_BIT : (this.#isFromEnd ? endBit : beginningBit)(literal);
    let node = this.#root;
    let left = literal;
    while (left !== "") {
      const next = node.below.get(this.#near(left));
      if (!next) {
        const leaf = { literal: left, values: [value], below: new Map() };
        node.below.set(this.#near(left), leaf);
        return;
      }
      const shared = this.#shared(next.literal, left);
      if (shared < next.literal.length) this.#split(next, shared);
      left = this.#without(left, shared);
      node = next;
    }
    node.values.push(value);
  }

  /** Returns false if no literal can be at the beginning (or end) of such a text. */
  mayHave(bits: number): boolean {
    return (this.#bits & bits) !== 0;
  }

  /** Appends the values of every literal with which the text begins (or ends) to `found`. */
  collect(text: string, found: T[]): void {
    let node: Node<T> | undefined = this.#root;
    for (const value of node.values) found.push(value);
    for (let walked = 0; walked < text.length && node.below.size > 0; walked += node.literal.length) {
      node = node.below.get(text.charCodeAt(this.#isFromEnd ? text.length - 1 - walked : walked));
      if (!node || !this.#stands(node.literal, text, walked)) return;
      for (const value of node.values) found.push(value);
    }
  }

  /** Keeps the first `length` characters in the node and moves the rest into a child. */
  #split(node: Node<T>, length: number): void {
    const rest = {
      literal: this.#without(node.literal, length),
      values: node.values.splice(0),
      below: new Map(node.below),
    };
    node.literal = this.#isFromEnd ? node.literal.slice(-length) : node.literal.slice(0, length);
    node.below.clear();
    node.below.set(this.#near(rest.literal), rest);
  }

  /** Compares character by character: most texts differ early, and calling a string method costs more. */
  #stands(literal: string, text: string, walked: number): boolean {
    const from = this.#isFromEnd ? text.length - walked - literal.length : walked;
    if (from < 0 || from + literal.length > text.length) return false;
    for (let at = 0; at < literal.length; at++)
      if (text.charCodeAt(from + at) !== literal.charCodeAt(at)) return false;
    return true;
  }

  #near(literal: string): number {
    return literal.charCodeAt(this.#isFromEnd ? literal.length - 1 : 0);
  }

  #without(literal: string, length: number): string {
    return this.#isFromEnd ? literal.slice(0, literal.length - length) : literal.slice(length);
  }

  #shared(one: string, other: string): number {
    const most = Math.min(one.length, other.length);
    let length = 1;
    if (this.#isFromEnd) while (length < most && one.at(-1 - length) === other.at(-1 - length)) length++;
    else while (length < most && one[length] === other[length]) length++;
    return length;
  }
}
