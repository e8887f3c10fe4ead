import type { FolderGrant } from "../../contract/caller.ts";

/** What somebody would be given. Entries of `grants` are names, patterns or `*`, as in a toolbox. */
export interface Gift {
  readonly toolboxes?: readonly string[];
  readonly grants?: readonly string[];
  readonly folders?: readonly FolderGrant[];
}
