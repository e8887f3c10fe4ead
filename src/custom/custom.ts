import type { Tool, ToolSource } from "../contract/tool.ts";
import type { CustomToolView } from "../features/custom-tools/custom-tool-view.ts";
import type { Language } from "../features/custom-tools/templates.ts";

/** The user's scripts as tools, each in a folder of `TOOLKEEP_HOME/tools`. Tools are named by slug or by `custom_<slug>`. */
export interface Custom extends ToolSource {
  /** Looks at the folders again; reads only what has changed. */
  refresh(): Promise<void>;
  /** Takes over what another process enabled or disabled. */
  reload(): Promise<void>;
  list(): readonly CustomToolView[];
  /** Folders of `tools` that cannot be a tool, and why. */
  problems(): readonly string[];
  /** Throws NOT_FOUND with the nearest name. */
  get(name: string): CustomToolView;
  /** Writes a script that works, to be changed. Throws NAME_INVALID, NAME_TAKEN. */
  create(slug: string, language: Language): Promise<CustomToolView>;
  /**
   * Enables exactly the content that has this hash, which is the one a person was shown. Throws CHANGED where the folder
   * holds another by now, BAD_REQUEST where it cannot be used.
   */
  enable(name: string, options: { readonly sha256: string; readonly by: string }): Promise<CustomToolView>;
  disable(name: string): Promise<CustomToolView>;
  /** Puts the folder aside and resolves with where it is then; null: there was none. */
  remove(name: string): Promise<string | null>;
  /**
   * The tool as it is in its folder now, enabled or not, for a person to try it. Its results have `exitCode`, `signal`
   * and the end of `stderr` in `meta`. Throws BAD_REQUEST where it cannot be run.
   */
  trial(name: string): Promise<Tool>;
  close(): Promise<void>;
}
