/** The part of the contract about custom tools. */
import type { CustomToolView } from "../../../features/custom-tools/custom-tool-view.ts";
import type { Language } from "../../../features/custom-tools/templates.ts";

export type { CustomToolView };

export interface CustomToolList {
  readonly tools: readonly CustomToolView[];
  /** Folders of `tools` that cannot be a tool, and why. */
  readonly problems: readonly string[];
}

export interface CustomToolAnswer {
  readonly tool: CustomToolView;
}

/** `POST /api/custom-tools`; without `language` a script of `sh`. */
export interface NewCustomTool {
  readonly name: string;
  readonly language?: Language;
}

/** `POST /api/custom-tools/NAME/enable`: `CustomToolView.sha256`, so that nothing else is enabled than the person was shown. */
export interface CustomToolApproval {
  readonly sha256: string;
}

/** `POST /api/custom-tools/NAME/try` → `ToolOutcome`, with `exitCode`, `signal` and the end of `stderr` in its `meta`. */
export interface CustomToolTrial {
  readonly arguments?: unknown;
}

/** `DELETE /api/custom-tools/NAME` */
export interface CustomToolRemoved {
  readonly done: true;
  /** Where its folder was put; null: it had none. */
  readonly folder: string | null;
}
