import type { FolderGrant } from "../../contract/caller.ts";

/** What an agent would be granted. Entries of `grants` are names, patterns or `*`, as in a toolbox. */
export interface GrantRequest {
  readonly toolboxes?: readonly string[];
  readonly grants?: readonly string[];
  readonly folders?: readonly FolderGrant[];
}
