import type { ToolSource } from "./contract/tool.ts";
import type { Clock } from "./lib/clock.ts";
import type { NewId } from "./lib/id.ts";
import type { Log } from "./lib/log.ts";
import { type LoadedSettings, loadSettings } from "./machine/config/load.ts";

export interface HubOptions {
  /** Absent: `settings`, or the settings of the home, with the environment on top. */
  readonly loaded?: LoadedSettings;
  /** In the place of the home's settings file, with the same keys: `{ mcpServers: { … }, rules: [ … ] }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where everything is kept; default `TOOLKEEP_HOME`, else `~/.toolkeep`. */
  readonly home?: string;
  /** As it introduces itself to servers. */
  readonly version?: string;
  /** Default: that of the process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Log;
  /** The newest lines of that log as JSON, oldest first, for `get_platform_logs`. */
  readonly recentLog?: () => readonly string[];
  /** Tools of the program's own, granted and ruled by name as all are. It keeps the sources, and closes them. */
  readonly sources?: readonly ToolSource[];
  readonly clock?: Clock;
  readonly newId?: NewId;
}

/** What a program that embeds the hub is to servers. */
export const LIBRARY = "library";

/** Where none are given, those of the home. */
export function settingsOf({ settings, home }: HubOptions, env: NodeJS.ProcessEnv): Promise<LoadedSettings> {
  const chosen = { ...(settings && { given: settings }), ...(home !== undefined && { home }) };
  return loadSettings({ cwd: process.cwd(), env, isTrusted: () => false, ...chosen });
}
