interface Node<T> {
  /** What stands between this node and the one above it. */
  literal: string;
  readonly values: T[];
  readonly below: Map<string, Node<T>>;
}

/** Values by literal texts: all of those with which a text begins, or ends, are found in one walk along it. */
export class LiteralTree<T> {
  readonly #root: Node<T> = { literal: "", values: [], below: new Map() };
  readonly #isFromEnd: boolean;
  #isEmpty = true;

  constructor(side: "beginning" | "end") {
    this.#isFromEnd = side === "end";
  }

  add(literal: string, value: T): void {
    this.#isEmpty = false;
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

  /** Puts what was added under a literal that the text begins, or ends, with into `found`. */
  collect(text: string, found: T[]): void {
    if (this.#isEmpty) return;
    let node: Node<T> | undefined = this.#root;
    let walked = 0;
    for (;;) {
      for (const value of node.values) found.push(value);
      if (walked === text.length || node.below.size === 0) return;
      node = node.below.get(text[this.#isFromEnd ? text.length - 1 - walked : walked]!);
      if (!node || !this.#stands(node.literal, text, walked)) return;
      walked += node.literal.length;
    }
  }

  /** Leaves the first `length` characters in the node and puts the rest under it. */
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

  #stands(literal: string, text: string, walked: number): boolean {
    return this.#isFromEnd ? text.endsWith(literal, text.length - walked) : text.startsWith(literal, walked);
  }

  #near(literal: string): string {
    return this.#isFromEnd ? literal.at(-1)! : literal[0]!;
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
