import type { PostingsRow } from "../index/index-store.ts";
import {
  BYTES_PER_POSTING,
  CHUNKS_PER_BLOCK,
  IN_HEADINGS,
  IN_PATH,
  IN_TAGS,
  IN_TITLE,
  postingOf,
  timesOf,
  visitPostings,
  whereOf,
} from "../index/postings.ts";
import type { IndexMirror } from "./index-mirror.ts";

/** Alternative terms: a word has one, a prefix has many. */
export interface Sought {
  readonly terms: readonly string[];
}

/** The part of the index that a search may use, and its size. */
export interface Scope {
  /** By source number: 1 if it may be used. */
  readonly sources: Uint8Array;
  readonly chunks: number;
  readonly entities: number;
  /** The number of terms of all its chunks. */
  readonly length: number;
}

/** docs/knowledge-search.md describes how they were chosen and measured. */
export const LEXICAL = {
  k1: 2.5,
  b: 0.75,
  title: 2,
  headings: 0.5,
  path: 0.5,
  tags: 1,
};

const POSTINGS = 4096;
const WHERE_BITS = 0xf00;
const LEAST_RARITY = 0.05;

/**
 * BM25 over the postings of a few terms, for chunks and whole entities. The frequency of terms and the length of texts are
 * counted only within the scope, so that scores reveal nothing outside it. Its working memory is reused: one search at a time.
 */
export class Lexical {
  readonly #mirror: IndexMirror;
  /** The weight of a posting, by its twelve bits. */
  readonly #worth = new Float32Array(POSTINGS);
  readonly #chunks = new Scores();
  readonly #entities = new Scores();
  /** The chunks of one term and their postings, then its entities and its weight in them. */
  #nos = new Uint32Array(0);
  #postings = new Uint16Array(0);
  #worths = new Float32Array(0);

  constructor(mirror: IndexMirror, { title, headings, path, tags } = LEXICAL) {
    this.#mirror = mirror;
    for (let posting = 0; posting < POSTINGS; posting++) {
      const where = whereOf(posting);
      this.#worth[posting] =
        timesOf(posting) +
        (where & IN_TITLE ? title : 0) +
        (where & IN_HEADINGS ? headings : 0) +
        (where & IN_PATH ? path : 0) +
        (where & IN_TAGS ? tags : 0);
    }
  }

  /** Scores all chunks and entities of the scope that have any of the terms. */
  score(sought: readonly Sought[], rows: ReadonlyMap<string, readonly PostingsRow[]>, scope: Scope): void {
    this.#makeRoom();
    for (const { terms } of sought) {
      const own = terms.flatMap((term) => rows.get(term) ?? []).sort((a, b) => a.block - b.block);
      const found = terms.length > 1 ? this.#gatherSeveral(own, scope) : this.#gather(own, scope);
      if (found > 0) this.#add(found, scope);
    }
  }

  /** The number of chunks found; `chunkAt` returns each. */
  get count(): number {
    return this.#chunks.count;
  }

  chunkAt(at: number): number {
    return this.#chunks.found[at]!;
  }

  scoreOf(chunk: number): number {
    return this.#chunks.scores[chunk] ?? 0;
  }

  entityScoreOf(entity: number): number {
    return this.#entities.scores[entity] ?? 0;
  }

  clear(): void {
    this.#chunks.clear();
    this.#entities.clear();
  }

  /** Collects the chunks of the scope from the rows of one term, in order. Returns their number. */
  #gather(rows: readonly PostingsRow[], { sources }: Scope): number {
    const { sourceOf, chunkEnd } = this.#mirror;
    const [nos, postings] = [this.#nos, this.#postings];
    let found = 0;
    for (const { block, data } of rows) {
      const base = block * CHUNKS_PER_BLOCK;
      for (let at = 0; at + BYTES_PER_POSTING <= data.length; at += BYTES_PER_POSTING) {
        const packed = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16);
        const chunk = base + (packed & (CHUNKS_PER_BLOCK - 1));
        if (chunk >= chunkEnd || sources[sourceOf[chunk]!] === 0) continue;
        nos[found] = chunk;
        postings[found++] = packed >>> 12;
      }
    }
    return found;
  }

  /** The same for alternative terms, which count as one. */
  #gatherSeveral(rows: readonly PostingsRow[], { sources }: Scope): number {
    const { sourceOf, chunkEnd } = this.#mirror;
    const [nos, postings] = [this.#nos, this.#postings];
    const together = new Uint16Array(chunkEnd);
    const isThere = new Uint8Array(chunkEnd);
    let found = 0;
    for (const { block, data } of rows)
      visitPostings(block, data, (chunk, posting) => {
        if (chunk >= chunkEnd || sources[sourceOf[chunk]!] === 0) return;
        if (isThere[chunk] === 0) nos[found++] = chunk;
        isThere[chunk] = 1;
        const before = together[chunk]!;
        const times = timesOf(before) + timesOf(posting);
        together[chunk] = postingOf(times, whereOf(before) | whereOf(posting));
      });
    nos.subarray(0, found).sort();
    for (let at = 0; at < found; at++) postings[at] = together[nos[at]!]!;
    return found;
  }

  #add(found: number, scope: Scope): void {
    const { lengthOf, entityOf, entityLengthOf } = this.#mirror;
    const [nos, postings, worths, worth] = [this.#nos, this.#postings, this.#worths, this.#worth];
    for (let at = 0; at < found; at++) worths[at] = worth[postings[at]!]!;
    this.#chunks.add(
      { nos, worths, found, lengthOf },
      { all: scope.chunks, average: scope.length / Math.max(1, scope.chunks) },
    );
    // Chunks of an entity are adjacent. Places outside the text are the same for all of them and count once.
    let entities = -1;
    let entity = 0;
    let where = 0;
    for (let at = 0; at < found; at++) {
      const posting = postings[at]!;
      const own = entityOf[nos[at]!]!;
      if (own !== entity) {
        entity = own;
        where = 0;
        nos[++entities] = own;
        worths[entities] = 0;
      }
      worths[entities]! += (posting & ~WHERE_BITS) + worth[(where | posting) & WHERE_BITS]! - worth[where]!;
      where |= posting & WHERE_BITS;
    }
    this.#entities.add(
      { nos, worths, found: entities + 1, lengthOf: entityLengthOf },
      { all: scope.entities, average: scope.length / Math.max(1, scope.entities) },
    );
  }

  #makeRoom(): void {
    const { chunkEnd, entityEnd } = this.#mirror;
    this.#chunks.makeRoom(chunkEnd);
    this.#entities.makeRoom(entityEnd);
    if (chunkEnd <= this.#nos.length) return;
    const room = Math.ceil(chunkEnd * 1.25);
    this.#nos = new Uint32Array(room);
    this.#postings = new Uint16Array(room);
    this.#worths = new Float32Array(room);
  }
}

/** The occurrences of a term. */
interface Occurrences {
  readonly nos: Uint32Array;
  readonly worths: Float32Array;
  readonly found: number;
  readonly lengthOf: ArrayLike<number>;
}

/** Sums of scores by number. All zeros between searches. */
class Scores {
  scores = new Float32Array(0);
  /** The numbers with a score, each once. */
  found = new Uint32Array(0);
  count = 0;

  add(
    { nos, worths, found, lengthOf }: Occurrences,
    { all, average }: { readonly all: number; readonly average: number },
  ): void {
    const { k1, b } = LEXICAL;
    // Uses one half instead of one, because a word that half of the texts have says almost nothing.
    const rarity = Math.max(LEAST_RARITY, Math.log(0.5 + (all - found + 0.5) / (found + 0.5)));
    const value = rarity * (k1 + 1);
    const short = k1 * (1 - b);
    const perTerm = (k1 * b) / Math.max(1, average);
    const { scores } = this;
    let { count } = this;
    for (let at = 0; at < found; at++) {
      const no = nos[at]!;
      const worth = worths[at]!;
      const before = scores[no]!;
      if (before === 0) this.found[count++] = no;
      scores[no] = before + (value * worth) / (worth + short + perTerm * lengthOf[no]!);
    }
    this.count = count;
  }

  clear(): void {
    for (let at = 0; at < this.count; at++) this.scores[this.found[at]!] = 0;
    this.count = 0;
  }

  makeRoom(end: number): void {
    if (end <= this.scores.length) return;
    const room = Math.ceil(end * 1.25);
    this.scores = new Float32Array(room);
    this.found = new Uint32Array(room);
  }
}
