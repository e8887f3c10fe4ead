import type { EntityRecord } from "./index/index-record.ts";

/** What a reader of a source makes of a file, and the index takes: nothing here knows where it is kept. */

/** A passage of a document, small enough to be shown and to be embedded whole. */
export interface Passage {
  readonly text: string;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Where it stands in the text that was read, in UTF-16 units; `end` is behind its last. Overlaps its neighbours where it was cut. */
  readonly start: number;
  readonly end: number;
}

/** What tells one state of a file from another without reading it. */
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
