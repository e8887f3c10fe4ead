/** What of all-MiniLM-L6-v2 others have to know. */

/** Raised whenever the same weights would become another model. */
const VERSION = 1;

/** See `Embedder.model`. */
export const MODEL = `all-minilm-l6-v2-int8-${VERSION}`;
export const DIMENSIONS = 384;
/** Of a longer text only the beginning is read. */
export const MAX_TOKENS = 256;
