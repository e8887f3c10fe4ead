import { createHash } from "node:crypto";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import type { Embedder, EmbedOptions, Vector } from "./embedder.ts";
import type { EmbeddingStore } from "./embeddings.ts";

export interface KeptEmbedderDeps {
  /** Closed with this one. */
  readonly embedder: Embedder;
  readonly store: Pick<EmbeddingStore, "among" | "put" | "touch">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Exact enough to find unused vectors, and rarely written. */
const TOUCHED_EVERY_MS = 24 * 3_600_000;

/**
 * Keeps what an embedder made and never asks it twice for the same text, also after a restart or in another process. What is
 * urgent is short and of the moment: it goes past the store. A store that fails costs time only.
 */
export class KeptEmbedder implements Embedder {
  readonly #deps: KeptEmbedderDeps;

  constructor(deps: KeptEmbedderDeps) {
    this.#deps = deps;
  }

  get model() {
    return this.#deps.embedder.model;
  }

  get dimensions() {
    return this.#deps.embedder.dimensions;
  }

  get state() {
    return this.#deps.embedder.state;
  }

  get likenessFloor() {
    return this.#deps.embedder.likenessFloor;
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Vector[] | undefined> {
    const { embedder } = this.#deps;
    if (options.urgent || options.keep === false) return embedder.embed(texts, options);
    const ids = texts.map((text) => idOf(embedder.model, text));
    const vectors = await this.#kept([...new Set(ids)]);
    const missing = new Map<string, string>();
    for (const [at, id] of ids.entries()) if (!vectors.has(id)) missing.set(id, texts[at]!);
    if (missing.size > 0) {
      const made = await embedder.embed([...missing.values()], options);
      if (!made) return undefined;
      const fresh = [...missing.keys()].map((id, at) => [id, made[at]!] as const);
      for (const [id, vector] of fresh) vectors.set(id, vector);
      await this.#keep(fresh);
    }
    return ids.map((id) => vectors.get(id)!);
  }

  close(): Promise<void> {
    return this.#deps.embedder.close();
  }

  async #kept(ids: readonly string[]): Promise<Map<string, Vector>> {
    const { store, embedder, clock } = this.#deps;
    const records = (await this.#attempt(store.among(ids))) ?? [];
    const due = clock() - TOUCHED_EVERY_MS;
    const touched = records.filter(({ usedAt }) => usedAt < due).map(({ id }) => id);
    if (touched.length > 0) await this.#attempt(store.touch(touched, clock()));
    const fitting = records.filter(({ vector }) => vector.length === embedder.dimensions);
    return new Map(fitting.map(({ id, vector }) => [id, new Int8Array(vector)]));
  }

  async #keep(fresh: readonly (readonly [id: string, vector: Vector])[]): Promise<void> {
    const { store, embedder, clock } = this.#deps;
    const usedAt = clock();
    const records = fresh.map(([id, vector]) => ({
      id,
      model: embedder.model,
      vector: new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      usedAt,
    }));
    await this.#attempt(store.put(records));
  }

  async #attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.#deps.log.warn({ cause: messageOf(error) }, "embeddings: the store could not be read or written");
      return undefined;
    }
  }
}

function idOf(model: string, text: string): string {
  return createHash("sha256").update(model).update("\0").update(text).digest("base64url");
}
