import type { FeatureParts } from "../../../contract/feature.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Database } from "../../db/database.ts";
import { embeddingStore, embeddings } from "./embeddings.ts";

export interface EmbeddingNeeds {
  readonly database: Database;
  readonly clock: Clock;
}

/** A vector that nobody used for this long is removed. */
const KEPT_MS = 60 * 24 * 3_600_000;
/** Beyond this number, those used longest ago are removed. */
const MAX_EMBEDDINGS = 200_000;

export const parts: FeatureParts<EmbeddingNeeds> = {
  tables: [embeddings],
  open({ database, clock }) {
    const store = embeddingStore(database);
    return {
      cleaning: [
        { what: "embeddings", remove: (limit) => store.prune(clock() - KEPT_MS, limit) },
        { what: "embeddings", remove: (limit) => store.trim(MAX_EMBEDDINGS, limit) },
      ],
    };
  },
};
