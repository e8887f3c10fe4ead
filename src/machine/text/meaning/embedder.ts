/** The direction of a text: texts with similar meanings have similar directions. The length has no meaning. */
export type Vector = Int8Array;

/** More dimensions than any common model has. An index accepts as many. */
export const MAX_DIMENSIONS = 4_096;

/** Turns texts into vectors. A failure is a value, so that callers can continue without vectors. */
export interface Embedder {
  /** Names everything that decides what a vector is; those of different models are never compared. */
  readonly model: string;
  /** The dimensions of every vector; 0: unknown before the first one. */
  readonly dimensions: number;
  readonly state: EmbedderState;
  /** The smallest cosine that means something; undefined: measure it with `measureLikenessFloor`. */
  readonly likenessFloor?: number | undefined;
  /** A vector for each text, in their order; undefined where it cannot, has too much to do, or was closed. Never rejects. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Vector[] | undefined>;
  /** Ends what it started. */
  close(): Promise<void>;
}

export interface EmbedOptions {
  /** A caller waits for it, so it goes before background work. */
  readonly urgent?: boolean;
  /** If false, the caller stores the vectors itself. */
  readonly keep?: boolean;
}

/** `resting`: it would begin when asked. `isForNow`: it will be `resting` again by itself. */
export type EmbedderState =
  | { readonly kind: "resting" | "working" }
  | { readonly kind: "unavailable"; readonly reason: string; readonly isForNow?: true };

/** An embedder that is not available. */
export function noEmbedder(reason: string): Embedder {
  return {
    model: "none",
    dimensions: 0,
    state: { kind: "unavailable", reason },
    embed: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}
