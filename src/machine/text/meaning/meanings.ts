import { setImmediate as nextTurn } from "node:timers/promises";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import type { Part } from "../index/part-statistics.ts";
import type { Embedder, Vector } from "./embedder.ts";
import { type Near, VectorIndex } from "./vector-index.ts";

export interface MeaningsDeps {
  /** Called before each use, because it can be turned off. */
  readonly isOn: () => boolean;
  readonly embedder: Embedder;
  /** How long a search waits for the vector of its query. */
  readonly waitMs?: number;
}

const WAIT_MS = 150;
const QUERIES_KEPT = 256;
const MAX_QUERY = 2_000;
const TEXTS_AT_ONCE = 32;

/**
 * Vectors of texts and queries. Vectors of texts are created in the background, and a search uses those that exist.
 * Nothing here fails: without vectors a search uses words alone.
 */
export class Meanings {
  readonly #deps: MeaningsDeps;
  readonly #index = new VectorIndex();
  /** Texts without a current vector, by id. */
  readonly #wanted = new Map<string, string>();
  readonly #queries = new BoundedMap<string, Vector>(QUERIES_KEPT, { drops: "least used" });
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: MeaningsDeps) {
    this.#deps = deps;
  }

  /** Texts that have a vector, and those that wait for one. */
  get counts(): { readonly ready: number; readonly waiting: number } {
    return { ready: this.#index.size, waiting: this.#wanted.size };
  }

  /** Sets the text of an id. */
  take(id: string, text: string): void {
    this.#wanted.set(id, text);
  }

  forget(id: string): void {
    this.#wanted.delete(id);
    this.#index.delete(id);
  }

  /** Creates missing vectors in the background. Resolves when nothing is left to do, or nothing can be done. */
  catchUp(): Promise<void> {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  /** Undefined if the vector was not ready in time. The next caller with the same query finds it. */
  async ofQuery(query: string): Promise<Vector | undefined> {
    if (!this.#isUsable() || this.#index.size === 0) return undefined;
    const text = query.slice(0, MAX_QUERY);
    return this.#queries.get(text) ?? this.#inTime(this.#embedQuery(text));
  }

  nearest(query: Vector, part: Part, limit: number): Near[] {
    return this.#index.nearest(query, part, limit);
  }

  similarityTo(query: Vector, part: Part): (at: number) => number | undefined {
    return this.#index.similarityTo(query, part);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wanted.clear();
    await this.#working;
  }

  #isUsable(): boolean {
    return !this.#isClosed && this.#deps.isOn() && this.#deps.embedder.state.kind !== "unavailable";
  }

  async #work(): Promise<void> {
    while (this.#wanted.size > 0 && this.#isUsable()) {
      await nextTurn();
      const some = firstOf(this.#wanted, TEXTS_AT_ONCE);
      const vectors = await this.#deps.embedder.embed(some.map(([, text]) => text));
      // It is tried again after the next search.
      if (!vectors) return;
      for (const [at, [id, text]] of some.entries()) {
        // Meanwhile it may have gone, or say something else.
        if (this.#wanted.get(id) !== text) continue;
        this.#wanted.delete(id);
        this.#index.put(id, vectors[at]!);
      }
    }
  }

  async #embedQuery(text: string): Promise<Vector | undefined> {
    const vectors = await this.#deps.embedder.embed([text], { urgent: true });
    if (vectors) this.#queries.set(text, vectors[0]!);
    return vectors?.[0];
  }

  #inTime(vector: Promise<Vector | undefined>): Promise<Vector | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), this.#deps.waitMs ?? WAIT_MS);
      void vector.then((made) => {
        clearTimeout(timer);
        resolve(made);
      });
    });
  }
}

function firstOf<T>(values: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    if (first.length >= most) break;
    first.push(value);
  }
  return first;
}
