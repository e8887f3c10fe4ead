const CHUNK = 2 ** 16;
/** The first piece begins with this much and doubles, so that a small index stays small. */
const LEAST_CHUNK = 2 ** 8;
/** How many pairs the blocks of a list hold, one after another; the last number repeats. */
const ROOMS = [2, 8, 32, 128, 512];
const NO_BLOCK = 0;

/** Looks at pairs of a slot and its counts: those of `data` from `from` on, up to `to`. */
export type Visit = (data: Uint32Array, from: number, to: number) => void;

interface List {
  /** The start of its newest block. Each block begins with the start of the previous one. */
  block: number;
  blocks: number;
  /** How many pairs are in the newest block; the others are full. */
  filled: number;
  size: number;
}

/**
 * Lists of pairs by number: the slots where a term stands, and the packed counts of its fields in each. In no order. They are chains of
 * blocks in few pieces of memory: arrays of their own would take half as much again, and leave holes wherever they grew.
 */
export class PostingLists {
  readonly #chunks: Uint32Array[] = [];
  readonly #lists: (List | undefined)[] = [];
  /** Unused blocks by size in pairs. */
  readonly #free: number[][] = ROOMS.map(() => []);
  /** The used part of the last chunk. Number 0 is never used, because it stands for no block. */
  #used = CHUNK;

  /** How many numbers there is room for. */
  get room(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** How many pairs a list has. */
  size(list: number): number {
    return this.#lists[list]?.size ?? 0;
  }

  add(number: number, slot: number, counts: number): void {
    this.#lists[number] ??= { block: NO_BLOCK, blocks: 0, filled: 0, size: 0 };
    const list = this.#lists[number];
    if (list.blocks === 0 || list.filled === roomOf(list.blocks)) this.#lengthen(list);
    const data = this.#chunkOf(list.block);
    const at = placeIn(list.block) + 1 + 2 * list.filled;
    data[at] = slot;
    data[at + 1] = counts;
    list.filled += 1;
    list.size += 1;
  }

  /** The newest one takes its place. */
  remove(number: number, slot: number): void {
    const list = this.#lists[number]!;
    const newest = this.#chunkOf(list.block);
    const last = placeIn(list.block) + 1 + 2 * (list.filled - 1);
    this.visit(number, (data, from, to) => {
      for (let at = from; at < to; at += 2) {
        if (data[at] !== slot) continue;
        data[at] = newest[last]!;
        data[at + 1] = newest[last + 1]!;
        return;
      }
    });
    list.filled -= 1;
    list.size -= 1;
    if (list.filled === 0) this.#shorten(list);
    if (list.size === 0) this.#lists[number] = undefined;
  }

  visit(number: number, visit: Visit): void {
    const list = this.#lists[number];
    if (!list) return;
    let { block, filled } = list;
    for (let { blocks } = list; blocks > 0; blocks--) {
      const data = this.#chunkOf(block);
      const start = placeIn(block);
      visit(data, start + 1, start + 1 + 2 * filled);
      block = data[start]!;
      filled = roomOf(blocks - 1);
    }
  }

  #lengthen(list: List): void {
    const block = this.#blockOf(classOf(list.blocks + 1));
    this.#chunkOf(block)[placeIn(block)] = list.block;
    list.block = block;
    list.blocks += 1;
    list.filled = 0;
  }

  #shorten(list: List): void {
    this.#free[classOf(list.blocks)]!.push(list.block);
    list.block = this.#chunkOf(list.block)[placeIn(list.block)]!;
    list.blocks -= 1;
    list.filled = list.blocks === 0 ? 0 : roomOf(list.blocks);
  }

  #blockOf(kind: number): number {
    const free = this.#free[kind]!.pop();
    if (free !== undefined) return free;
    const length = 1 + 2 * ROOMS[kind]!;
    if (this.#used + length > CHUNK) {
      this.#chunks.push(new Uint32Array(this.#chunks.length === 0 ? LEAST_CHUNK : CHUNK));
      this.#used = 1;
    }
    const last = this.#chunks.length - 1;
    while (this.#chunks[last]!.length < this.#used + length)
      this.#chunks[last] = doubled(this.#chunks[last]!);
    const block = (this.#chunks.length - 1) * CHUNK + this.#used;
    this.#used += length;
    return block;
  }

  #chunkOf(block: number): Uint32Array {
    return this.#chunks[Math.floor(block / CHUNK)]!;
  }
}

function doubled(data: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.min(CHUNK, 2 * data.length));
  larger.set(data);
  return larger;
}

function placeIn(block: number): number {
  return block % CHUNK;
}

function classOf(blocks: number): number {
  return Math.min(blocks, ROOMS.length) - 1;
}

/** Returns the size in pairs of the last of this many blocks. */
function roomOf(blocks: number): number {
  return ROOMS[classOf(blocks)] ?? 0;
}
