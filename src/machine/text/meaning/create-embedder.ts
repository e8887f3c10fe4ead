import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import type { Settings } from "../../config/settings.ts";
import { type Embedder, noEmbedder } from "./embedder.ts";
import type { EmbeddingStore } from "./embeddings.ts";
import { KeptEmbedder } from "./kept-embedder.ts";
import { LocalEmbedder } from "./minilm/local-embedder.ts";
import type { EmbeddingEndpointOptions } from "./remote/embedding-endpoint.ts";
import { RemoteEmbedder } from "./remote/remote-embedder.ts";

export interface EmbedderDeps {
  /** The model of this machine is kept in its folder `models`. */
  readonly home: string;
  readonly settings: Settings["embeddings"];
  /** Returns the current value of `embeddings.api_key`. */
  readonly key: EmbeddingEndpointOptions["key"];
  readonly store: EmbeddingStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The one that the settings name; what it makes is kept. It starts and asks nothing before the first text. */
export function createEmbedder({ home, settings, key, ...deps }: EmbedderDeps): Embedder {
  const { provider, model, url, dimensions } = settings;
  if (provider === "off") return noEmbedder("embeddings.provider is off");
  if (provider === "local") {
    const embedder = new LocalEmbedder({ folder: join(home, "models"), log: deps.log });
    return new KeptEmbedder({ ...deps, embedder });
  }
  if (model === null)
    return noEmbedder(`embeddings.provider is ${provider}, and embeddings.model does not say which model`);
  const { clock, log } = deps;
  const embedder = new RemoteEmbedder({ kind: provider, model, url, dimensions, key, clock, log });
  return new KeptEmbedder({ ...deps, embedder });
}
