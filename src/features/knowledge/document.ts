import type { EntityRecord } from "./index/index-record.ts";

/** The result of reading a file, which the index takes. It does not depend on where the index is stored. */

/** A passage of a document, small enough to be shown and to be embedded whole. */
export interface Passage {
  readonly text: string;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Its position in the text, in UTF-16 units; `end` is exclusive. Neighbours overlap where a block was cut. */
  readonly start: number;
  readonly end: number;
}

/** Tells whether a file changed without reading it. */
export interface FileState {
  /** Milliseconds, whole. */
  readonly modifiedAt: number;
  readonly size: number;
}

/** A document as it was read. */
export interface Document
  extends Pick<EntityRecord, "key" | "title" | "type" | "tags" | "uri" | "documentAt" | "metadata"> {
  readonly passages: readonly Passage[];
}
