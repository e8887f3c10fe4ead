/** A bookmark as a browser has it. */
export interface Bookmark {
  readonly url: string;
  readonly title: string;
  /** The folders it lies in, outermost first. */
  readonly folders: readonly string[];
  readonly tags: readonly string[];
  readonly addedAt: number | undefined;
  readonly note?: string;
}
