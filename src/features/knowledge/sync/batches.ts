import type { Clock } from "../../../lib/clock.ts";
import type { KnowledgeWriter, NewEntity } from "../index/index-record.ts";

const ENTITIES = 128;
const CHARS = 1_000_000;

type Touched = Parameters<KnowledgeWriter["touch"]>[1][number];

/** Collects entities into batches. One batch is written while the next is collected; adding to a third one waits. */
export class Batches {
  readonly #writer: KnowledgeWriter;
  readonly #sourceId: string;
  readonly #clock: Clock;
  #entities: NewEntity[] = [];
  #touched: Touched[] = [];
  #chars = 0;
  #writing: Promise<void> = Promise.resolve();
  #error: { readonly cause: unknown } | undefined;

  constructor(writer: KnowledgeWriter, sourceId: string, clock: Clock) {
    this.#writer = writer;
    this.#sourceId = sourceId;
    this.#clock = clock;
  }

  async add(entity: NewEntity): Promise<void> {
    this.#entities.push(entity);
    for (const { text } of entity.chunks) this.#chars += text.length;
    if (this.#entities.length >= ENTITIES || this.#chars >= CHARS) await this.#writeNext();
  }

  async touch(state: Touched): Promise<void> {
    this.#touched.push(state);
    if (this.#touched.length >= ENTITIES) await this.#writeNext();
  }

  /** Resolves when everything was written, or writing failed. */
  async flush(): Promise<void> {
    await this.#writeNext();
    await this.#writing;
  }

  /** Stops all further writes. */
  fail(cause: unknown): void {
    this.#error ??= { cause };
  }

  throwIfFailed(): void {
    if (this.#error) throw this.#error.cause;
  }

  async #writeNext(): Promise<void> {
    const before = this.#writing;
    const entities = this.#entities;
    const touched = this.#touched;
    this.#entities = [];
    this.#touched = [];
    this.#chars = 0;
    if (entities.length + touched.length === 0) return before;
    this.#writing = before.then(() => this.#write(entities, touched));
    await before;
  }

  async #write(entities: readonly NewEntity[], touched: readonly Touched[]): Promise<void> {
    if (this.#error) return;
    try {
      if (entities.length > 0) await this.#writer.write(entities, this.#clock());
      if (touched.length > 0) await this.#writer.touch(this.#sourceId, touched);
    } catch (cause) {
      this.fail(cause);
    }
  }
}
