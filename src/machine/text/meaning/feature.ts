import type { Feature } from "../../../contract/feature.ts";
import type { EmbeddingNeeds } from "./parts.ts";

/** Vectors of texts, kept so that none is made twice. */
export const embeddings: Feature<EmbeddingNeeds> = {
  name: "embeddings",
  load: async () => (await import("./parts.ts")).parts,
};
