/** The part of the contract about plugins. */

import type { PluginToolView, PluginView } from "../../../features/plugins/known-plugin.ts";
import type { PluginLogLine } from "../../../features/plugins/plugin-log.ts";

export type { PluginLogLine, PluginToolView, PluginView };

/** `GET /api/plugins` */
export interface PluginList {
  readonly plugins: readonly PluginView[];
}

export interface PluginAnswer {
  readonly plugin: PluginView;
  /** What it printed and what became of its processes, oldest first. */
  readonly log: readonly PluginLogLine[];
}

/** `POST /api/plugins`: fetches it; it stays disabled. */
export interface NewPlugin {
  /** `link`: the folder itself is used, in the place of a copy. */
  readonly kind: "folder" | "link" | "npm";
  /** The absolute path of a folder on the daemon's machine, or a package of an npm registry: `name@1.2.3`. */
  readonly spec: string;
  readonly name?: string;
}

/** `POST /api/plugins/:name/enable`: agrees to what was shown with this hash, and to nothing else. */
export interface PluginAgreement {
  readonly sha256: string;
  /** Believe flags of its tools that loosen. */
  readonly trusted?: boolean;
}
