import { createPace } from "../../../lib/flow/pace.ts";
import type { ChangePlace, EntityChange, IndexReader } from "../index/index-store.ts";

/** The facts about an entity that a search needs, with its type in lower case and the revision of its last change. */
export type MirroredEntity = Omit<EntityChange, "no" | "lengths">;

/** The totals of a source. */
export interface SourceCounts {
  entities: number;
  chunks: number;
  /** The number of terms of all its chunks. */
  length: number;
}

const AT_ONCE = 2_000;
const NOWHERE: ChangePlace = { revision: 0, no: 0 };

/**
 * Holds the entity and length of every chunk in memory, updated before every search. Chunks that are written or deleted during
 * a search are missed or still present; neither matters, because chunk numbers are never reused.
 */
export class IndexMirror {
  readonly #reader: IndexReader;
  readonly #entities = new Map<number, MirroredEntity>();
  readonly #counts = new Map<number, SourceCounts>();
  #sources: ReadonlyMap<number, string> = new Map();
  #place = NOWHERE;
  #revision = -1;
  #model: string | null = null;
  #catchingUp: Promise<void> | undefined;
  /** By chunk number; 0: there is none. */
  entityOf = new Uint32Array(0);
  sourceOf = new Uint32Array(0);
  lengthOf = new Uint16Array(0);
  /** By entity number: the terms of all its chunks. */
  entityLengthOf = new Uint32Array(0);
  /** One more than the highest chunk and entity number. */
  chunkEnd = 0;
  entityEnd = 0;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The model of the vectors; null: there are none. */
  get model(): string | null {
    return this.#model;
  }

  entity(no: number): MirroredEntity | undefined {
    return this.#entities.get(no);
  }

  entities(): IterableIterator<[number, MirroredEntity]> {
    return this.#entities.entries();
  }

  /** The numbers of sources by their ids. */
  sources(): ReadonlyMap<number, string> {
    return this.#sources;
  }

  counts(sourceNo: number): SourceCounts {
    return this.#counts.get(sourceNo) ?? { entities: 0, chunks: 0, length: 0 };
  }

  /** One update runs at a time; other callers wait for it and then check again. */
  async catchUp(): Promise<void> {
    while (this.#catchingUp) await this.#catchingUp;
    this.#catchingUp = this.#work().finally(() => {
      this.#catchingUp = undefined;
    });
    await this.#catchingUp;
  }

  async #work(): Promise<void> {
    const { revision, model } = await this.#reader.state();
    if (revision === this.#revision) return;
    this.#sources = await this.#reader.sources();
    this.#dropForgotten();
    const pace = createPace();
    for (;;) {
      const changes = await this.#reader.changedEntities(this.#place, AT_ONCE);
      for (const change of changes) this.#take(change);
      if (changes.length > 0) this.#place = changes.at(-1)!;
      if (changes.length < AT_ONCE) break;
      await pace();
    }
    this.#model = model;
    this.#revision = revision;
  }

  #take(change: EntityChange): void {
    const { no, sourceNo, type, tags, documentAt, firstChunk, chunkCount, lengths, revision } = change;
    this.#drop(no);
    if (chunkCount === 0) return;
    this.#makeRoom(firstChunk + chunkCount);
    this.#makeEntityRoom(no);
    const counts = this.#countsOf(sourceNo);
    const lengthBefore = counts.length;
    for (let at = 0; at < chunkCount; at++) {
      const chunk = firstChunk + at;
      const length = lengths[2 * at]! | (lengths[2 * at + 1]! << 8);
      this.entityOf[chunk] = no;
      this.sourceOf[chunk] = sourceNo;
      this.lengthOf[chunk] = length;
      counts.length += length;
    }
    counts.entities += 1;
    counts.chunks += chunkCount;
    this.entityLengthOf[no] = counts.length - lengthBefore;
    const where = { sourceNo, firstChunk, chunkCount, revision };
    this.#entities.set(no, { ...where, type: type.toLowerCase(), tags, documentAt });
  }

  #drop(no: number): void {
    const before = this.#entities.get(no);
    if (!before) return;
    const { sourceNo, firstChunk, chunkCount } = before;
    const counts = this.#countsOf(sourceNo);
    for (let chunk = firstChunk; chunk < firstChunk + chunkCount; chunk++) {
      counts.length -= this.lengthOf[chunk]!;
      this.entityOf[chunk] = 0;
      this.sourceOf[chunk] = 0;
    }
    counts.entities -= 1;
    counts.chunks -= chunkCount;
    this.#entities.delete(no);
  }

  #dropForgotten(): void {
    const forgotten = [...this.#counts.keys()].filter((no) => !this.#sources.has(no));
    if (forgotten.length === 0) return;
    for (const [no, { sourceNo }] of this.#entities) if (!this.#sources.has(sourceNo)) this.#drop(no);
    for (const no of forgotten) this.#counts.delete(no);
  }

  #countsOf(sourceNo: number): SourceCounts {
    const counts = this.#counts.get(sourceNo) ?? { entities: 0, chunks: 0, length: 0 };
    this.#counts.set(sourceNo, counts);
    return counts;
  }

  #makeEntityRoom(no: number): void {
    this.entityEnd = Math.max(this.entityEnd, no + 1);
    if (no < this.entityLengthOf.length) return;
    const room = Math.max(1024, Math.ceil((no + 1) * 1.25));
    this.entityLengthOf = lengthened(this.entityLengthOf, new Uint32Array(room));
  }

  #makeRoom(end: number): void {
    this.chunkEnd = Math.max(this.chunkEnd, end);
    if (end <= this.entityOf.length) return;
    const room = Math.max(4096, Math.ceil(end * 1.25));
    this.entityOf = lengthened(this.entityOf, new Uint32Array(room));
    this.sourceOf = lengthened(this.sourceOf, new Uint32Array(room));
    this.lengthOf = lengthened(this.lengthOf, new Uint16Array(room));
  }
}

function lengthened<A extends Uint32Array | Uint16Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
