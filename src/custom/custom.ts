import type { CustomToolRecord } from "../store/custom-tool-record.ts";
import type { Tool, ToolSource, ToolStatus } from "../tool.ts";
import type { Language } from "./templates.ts";

/** A script of the user's as people see it. */
export interface CustomToolView {
  readonly slug: string;
  /** As agents call it. */
  readonly name: string;
  readonly folder: string;
  readonly status: ToolStatus;
  /** Of every file in the folder; null where it is not there or cannot be read. */
  readonly sha256: string | null;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** What it asks for; null where its manifest cannot be used. */
  readonly wants: {
    readonly description: string;
    readonly entry: string;
    /** The program that runs it; null: it runs itself, or its interpreter is missing. */
    readonly interpreter: string | null;
    readonly timeoutMs: number;
    readonly maxOutputBytes: number;
    /** Names only. */
    readonly env: readonly string[];
    readonly passEnv: readonly string[];
    readonly secrets: readonly string[];
  } | null;
  /** The content that a person enabled last; null: none. */
  readonly enabled: Pick<CustomToolRecord, "sha256" | "enabledBy" | "enabledAt"> | null;
}

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
  /** Enables exactly what is in the folder now; `sha256`: only if it is that. Throws BAD_REQUEST where it cannot be used. */
  enable(name: string, options: { readonly sha256?: string; readonly by: string }): Promise<CustomToolView>;
  disable(name: string): Promise<CustomToolView>;
  /** Puts the folder aside and resolves with where it is then; null: there was none. */
  remove(name: string): Promise<string | null>;
  /**
   * The tool as it is in its folder now, enabled or not, for a person to try it. Its results have `exitCode`, `signal`
   * and `stderr` in `meta`. Throws BAD_REQUEST where it cannot be run.
   */
  trial(name: string): Promise<Tool>;
  close(): Promise<void>;
}
