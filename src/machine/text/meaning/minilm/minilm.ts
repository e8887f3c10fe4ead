/** Facts about all-MiniLM-L6-v2 that other files need. */

/** Raised whenever the same weights would become another model. */
const VERSION = 1;

/** See `Embedder.model`. */
export const MODEL = `all-minilm-l6-v2-int8-${VERSION}`;
export const DIMENSIONS = 384;
/** Only the beginning of a longer text is used. */
export const MAX_TOKENS = 256;
