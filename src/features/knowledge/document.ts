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
export interface Document {
  /** Names it within its source for ever: a relative path, an address, a message id. */
  readonly key: string;
  readonly title: string;
  /** `markdown text html pdf docx code csv bookmark email page note` … */
  readonly type: string;
  /** Lower case, each once. */
  readonly tags: readonly string[];
  /** Where a person finds it: a path or an address. */
  readonly uri: string;
  /** What it says of its own time, else that of its file. */
  readonly documentAt: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly passages: readonly Passage[];
}
