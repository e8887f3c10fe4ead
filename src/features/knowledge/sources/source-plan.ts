/** The checked and complete configuration of a source, with everything that a thread needs to read it. Survives `postMessage`. */
export interface SourcePlan {
  readonly kind: "folder" | "obsidian" | "bookmarks" | "notion" | "mail" | "inbox";
  /** Absolute, without symbolic links: a folder, or one file. */
  readonly root: string;
  readonly isFile: boolean;
  /** Patterns as in `.gitignore`. */
  readonly ignore: readonly string[];
  /** Whether `.gitignore` and `.toolkeepignore` in the tree apply. */
  readonly gitignore: boolean;
  /** Whether names that begin with a dot are read. */
  readonly hidden: boolean;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Never entered, absolute: the home, which holds secrets. */
  readonly excluded: readonly string[];
}
