/** How long a vector is kept that nobody used. */
export const EMBEDDING_KEPT_MS = 60 * 24 * 3_600_000;

/** As many are kept; those used longest ago make room. */
export const MAX_EMBEDDINGS = 200_000;

/** What a text means to a model. It can be made again from the text at any time, so it is in no backup. */
export interface EmbeddingRecord {
  /** Stands for the text and the model. */
  readonly id: string;
  readonly model: string;
  readonly vector: Uint8Array;
  /** To about a day. */
  readonly usedAt: number;
}

export interface EmbeddingStore {
  /** Those that are there, in no order. */
  among(ids: readonly string[]): Promise<EmbeddingRecord[]>;
  /** One that is there already stays. */
  put(embeddings: readonly EmbeddingRecord[]): Promise<void>;
  touch(ids: readonly string[], at: number): Promise<void>;
  /** Deletes those used longest ago beyond `most`, at most `limit` of them; resolves with how many that were. */
  trim(most: number, limit: number): Promise<number>;
}
