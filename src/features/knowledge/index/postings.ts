/**
 * The chunks that contain a term: one row for each block of chunk numbers, with three bytes for each chunk. The lower
 * twelve bits are the chunk within the block, the upper twelve the weight of the term. Writes only append to rows, so they
 * read nothing, and entries can be decoded in any order. A sweep shortens rows.
 */

const BLOCK_BITS = 12;
export const CHUNKS_PER_BLOCK = 2 ** BLOCK_BITS;
export const BYTES_PER_POSTING = 3;
const IN_BLOCK = CHUNKS_PER_BLOCK - 1;
const TIMES_BITS = 8;
const MOST_TIMES = 2 ** TIMES_BITS - 1;

/** Places besides the text where a term occurs. With the count in the text they form the weight of a posting. */
export const IN_TITLE = 1;
export const IN_HEADINGS = 2;
export const IN_PATH = 4;
export const IN_TAGS = 8;
const WHERE = IN_TITLE | IN_HEADINGS | IN_PATH | IN_TAGS;

/** Twelve bits: how often in the text, capped, and where else. */
export function postingOf(times: number, where: number): number {
  return Math.min(times, MOST_TIMES) | ((where & WHERE) << TIMES_BITS);
}

export function timesOf(posting: number): number {
  return posting & MOST_TIMES;
}

export function whereOf(posting: number): number {
  return posting >>> TIMES_BITS;
}

export function blockOf(chunkNo: number): number {
  return Math.floor(chunkNo / CHUNKS_PER_BLOCK);
}

/** Collects postings to append, by term and block. */
export class PostingsToAdd {
  readonly #rows = new Map<
    string,
    { readonly term: string; readonly block: number; readonly bytes: number[] }
  >();

  add(term: string, chunkNo: number, posting: number): void {
    const block = blockOf(chunkNo);
    const key = `${block}\0${term}`;
    let row = this.#rows.get(key);
    if (!row) {
      row = { term, block, bytes: [] };
      this.#rows.set(key, row);
    }
    const packed = (chunkNo & IN_BLOCK) | (posting << BLOCK_BITS);
    row.bytes.push(packed & 0xff, (packed >>> 8) & 0xff, packed >>> 16);
  }

  /** Sorted by term, the order of the rows. */
  rows(): { readonly term: string; readonly block: number; readonly data: Uint8Array }[] {
    const sorted = [...this.#rows.values()].sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0));
    return sorted.map(({ term, block, bytes }) => ({ term, block, data: Uint8Array.from(bytes) }));
  }
}

/** Calls `visit` for each posting of a row, in the order of chunks. */
export function visitPostings(
  block: number,
  data: Uint8Array,
  visit: (chunkNo: number, posting: number) => void,
): void {
  const base = block * CHUNKS_PER_BLOCK;
  for (let at = 0; at + BYTES_PER_POSTING <= data.length; at += BYTES_PER_POSTING) {
    const packed = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16);
    visit(base + (packed & IN_BLOCK), packed >>> BLOCK_BITS);
  }
}

/** The postings of a row whose chunks are kept, in order; the same row if all are. */
export function keptPostings(
  block: number,
  data: Uint8Array,
  isKept: (chunkNo: number) => boolean,
): Uint8Array {
  const kept = new Uint8Array(data.length);
  let [from, to] = [0, 0];
  visitPostings(block, data, (chunkNo) => {
    if (isKept(chunkNo)) {
      kept.set(data.subarray(from, from + BYTES_PER_POSTING), to);
      to += BYTES_PER_POSTING;
    }
    from += BYTES_PER_POSTING;
  });
  return to === data.length ? data : kept.slice(0, to);
}
