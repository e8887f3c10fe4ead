import type { Setting, SettingKey } from "../../machine/config/schema.ts";
import { SETTINGS } from "../../machine/config/schema.ts";

/**
 * The settings an agent may propose to change: limits, timeouts and verbosity. Nothing that decides who gets access, what
 * may run, which hosts are reachable, where data is kept or what is recorded.
 */
export const CHANGEABLE = [
  "log_level",
  "max_description_length",
  "max_result_chars",
  "max_tool_concurrency",
  "mcp.deferred_loading",
  "mcp.tool_timeout_secs",
  "mcp.idle_timeout_secs",
  "tool_search.enabled",
  "tool_search.threshold",
  "tool_search.max_matches",
  "shell.timeout_ms",
  "shell.max_output_bytes",
  "questions.wait_ms",
  "web.timeout_ms",
  "web.max_bytes",
  "web.search.max_results",
  "web.search.timeout_ms",
] as const satisfies readonly SettingKey[];

export type ChangeableKey = (typeof CHANGEABLE)[number];

export function isChangeable(key: string): key is ChangeableKey {
  return (CHANGEABLE as readonly string[]).includes(key);
}

/** What is wrong with a value; undefined if it is valid. Null removes the setting from the file. */
export function findProblem(key: ChangeableKey, value: unknown): string | undefined {
  if (value === null) return undefined;
  const setting: Setting = SETTINGS[key];
  const parsed = setting.schema.safeParse(value);
  return parsed.success ? undefined : `${key}: expected ${parsed.error.issues[0]?.message}`;
}

/** The environment variable of a setting, if it has one. */
export function getVariable(key: ChangeableKey): string | undefined {
  const setting: Setting = SETTINGS[key];
  return setting.env;
}
