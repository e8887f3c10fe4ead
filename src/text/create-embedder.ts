import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { EmbeddingStore } from "../store/embedding-record.ts";
import type { Embedder } from "./embedder.ts";
import { KeptEmbedder } from "./kept-embedder.ts";
import { LocalEmbedder } from "./minilm/local-embedder.ts";

export interface EmbedderDeps {
  /** The model is kept in its folder `models`. */
  readonly home: string;
  readonly store: EmbeddingStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The model of this machine; what it makes is kept. It starts nothing before the first text. */
export function createEmbedder({ home, ...deps }: EmbedderDeps): Embedder {
  const embedder = new LocalEmbedder({ folder: join(home, "models"), log: deps.log });
  return new KeptEmbedder({ ...deps, embedder });
}
