/** What a source asks for, checked and complete: everything that a thread needs to read it. Survives `postMessage`. */
export interface SourcePlan {
  readonly kind: "folder" | "obsidian" | "bookmarks" | "notion" | "mail" | "inbox";
  /** Absolute, without symbolic links: a folder, or one file. */
  readonly root: string;
  readonly isFile: boolean;
  /** As in `.gitignore`. */
  readonly ignore: readonly string[];
  /** `.gitignore` and `.toolkeepignore` in the tree count, too. */
  readonly gitignore: boolean;
  /** Names that begin with a dot are looked at. */
  readonly hidden: boolean;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Never entered, absolute: the home, which holds secrets. */
  readonly excluded: readonly string[];
}
