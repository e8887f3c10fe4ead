import type { Passage } from "../document.ts";
import type { Block } from "./block.ts";
import { nextCut, overlapBefore } from "./cut-text.ts";
import { countPieces } from "./word-pieces.ts";

export interface ChunkLimits {
  /** The target size of a passage, in word pieces. */
  readonly target: number;
  /** The most that a passage holds; a larger block is cut. */
  readonly most: number;
  /** A smaller passage continues into the next section. */
  readonly least: number;
  /** The overlap where a block is cut. */
  readonly overlap: number;
  readonly passages: number;
}

/** The model reads 256 pieces at once, including its own markers and the headings. */
export const CHUNK_LIMITS: ChunkLimits = {
  target: 200,
  most: 230,
  least: 48,
  overlap: 32,
  passages: 20_000,
};

/** The text collected for the next passage. Headings without text yet are behind `bodyEnd`. */
interface Pending {
  start: number;
  /** Where its last body ends; undefined while there are only headings. */
  bodyEnd: number | undefined;
  /** Where the headings behind the last body begin. */
  headingStart: number | undefined;
  pieces: number;
  headings: readonly string[];
}

/**
 * Splits a text into passages along its structure. Blocks that fit stay whole and are joined up to the target size; headings go
 * with the text below them; small sections are joined under their common headings. The text of a passage is exactly the
 * text from `start` to `end`.
 */
export function chunkBlocks(
  text: string,
  blocks: readonly Block[],
  limits: ChunkLimits = CHUNK_LIMITS,
): Passage[] {
  const passages: Passage[] = [];
  const path = new HeadingPath();
  let pending: Pending | undefined;

  const flush = () => {
    if (pending?.bodyEnd === undefined) return;
    const { headingStart } = pending;
    add(passages, text, pending.start, pending.bodyEnd, pending.headings, limits);
    pending =
      headingStart === undefined
        ? undefined
        : {
            start: headingStart,
            bodyEnd: undefined,
            headingStart,
            pieces: countPieces(text, headingStart, pending.bodyEnd),
            headings: [],
          };
  };

  for (const block of blocks) {
    if (passages.length >= limits.passages) return passages;
    const pieces = countPieces(text, block.start, block.end);
    if (block.kind === "heading") {
      if (pending?.bodyEnd !== undefined && pending.pieces >= limits.least) flush();
      path.enter(block.level, block.title);
      pending ??= {
        start: block.start,
        bodyEnd: undefined,
        headingStart: undefined,
        pieces: 0,
        headings: [],
      };
      pending.headingStart ??= block.start;
      pending.pieces += pieces;
      continue;
    }
    if (pending?.bodyEnd !== undefined && pending.pieces + pieces > limits.target) flush();
    const start: number = pending?.bodyEnd === undefined ? (pending?.start ?? block.start) : block.start;
    const whole = pending?.bodyEnd === undefined ? countPieces(text, start, block.end) : pieces;
    if (whole > limits.most) {
      pending = undefined;
      cutBlock(passages, text, { ...block, start }, path.titles, limits);
    } else if (pending?.bodyEnd !== undefined) {
      pending.bodyEnd = block.end;
      pending.headingStart = undefined;
      pending.pieces += pieces;
      pending.headings = shared(pending.headings, path.titles);
    } else {
      const { titles: headings } = path;
      pending = { start, bodyEnd: block.end, headingStart: undefined, pieces: whole, headings };
    }
  }
  if (pending && pending.bodyEnd === undefined) {
    // Only headings are left.
    const end = blocks.at(-1)!.end;
    cutBlock(passages, text, { kind: "lines", start: pending.start, end }, path.titles, limits);
  } else flush();
  return passages;
}

function cutBlock(
  passages: Passage[],
  text: string,
  { kind, start, end }: Block,
  headings: readonly string[],
  limits: ChunkLimits,
): void {
  for (let from = start; from < end && passages.length < limits.passages; ) {
    const to = nextCut(text, from, end, kind === "lines", limits);
    add(passages, text, from, to, headings, limits);
    if (to >= end) return;
    from = overlapBefore(text, from, to, kind === "lines", limits.overlap);
  }
}

/** A small rest at the end of a section is joined with the passage before it. */
function add(
  passages: Passage[],
  text: string,
  from: number,
  to: number,
  headings: readonly string[],
  limits: ChunkLimits,
): void {
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  if (start === end) return;
  const last = passages.at(-1);
  if (
    last &&
    countPieces(text, start, end) < limits.least &&
    shared(last.headings, headings).length === headings.length &&
    last.headings.length === headings.length
  ) {
    if (end <= last.end) return;
    if (countPieces(text, last.start, end) <= limits.most) {
      passages[passages.length - 1] = { ...last, text: text.slice(last.start, end), end };
      return;
    }
  }
  passages.push({ text: text.slice(start, end), headings, start, end });
}

const MAX_DEPTH = 8;
const MAX_TITLE = 200;

/** The headings above a place. */
class HeadingPath {
  readonly #open: { readonly level: number; readonly title: string }[] = [];
  #titles: readonly string[] = [];

  get titles(): readonly string[] {
    return this.#titles;
  }

  enter(level: number, title: string): void {
    while (this.#open.length > 0 && this.#open.at(-1)!.level >= level) this.#open.pop();
    if (this.#open.length < MAX_DEPTH) this.#open.push({ level, title: title.slice(0, MAX_TITLE).trim() });
    this.#titles = this.#open.map((open) => open.title).filter((shown) => shown !== "");
  }
}

function shared(one: readonly string[], other: readonly string[]): readonly string[] {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length === one.length ? one : one.slice(0, length);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}
