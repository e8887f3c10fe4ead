/** Where a text points: texts that mean much the same point in much the same direction. Its length means nothing. */
export type Vector = Int8Array;

/** More than any model in use has; an index takes as many. */
export const MAX_DIMENSIONS = 4_096;

/** Turns texts into vectors. That it cannot is a value: whoever asks goes on without. */
export interface Embedder {
  /** Names everything that decides what a vector is; those of different models are never compared. */
  readonly model: string;
  /** Of every vector; 0: not known before the first. */
  readonly dimensions: number;
  readonly state: EmbedderState;
  /** The least cosine that means something; undefined: it has to be measured, see `measureLikenessFloor`. */
  readonly likenessFloor?: number | undefined;
  /** A vector for each text, in their order; undefined where it cannot, has too much to do, or was closed. Never rejects. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Vector[] | undefined>;
  /** Ends what it started. */
  close(): Promise<void>;
}

export interface EmbedOptions {
  /** Somebody waits for it: it goes before everything that nobody waits for. */
  readonly urgent?: boolean;
  /** False: whoever asks keeps the vectors himself. */
  readonly keep?: boolean;
}

/** `resting`: it would begin when asked. `isForNow`: it will be `resting` again by itself. */
export type EmbedderState =
  | { readonly kind: "resting" | "working" }
  | { readonly kind: "unavailable"; readonly reason: string; readonly isForNow?: true };

/** Of an embedder that cannot be had. */
export function noEmbedder(reason: string): Embedder {
  return {
    model: "none",
    dimensions: 0,
    state: { kind: "unavailable", reason },
    embed: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}
