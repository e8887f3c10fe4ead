import type { Setting, SettingKey } from "../../machine/config/schema.ts";
import { SETTINGS } from "../../machine/config/schema.ts";

/**
 * What an agent may propose to change: how much, how long and how loud. Nothing that decides who gets in, what may run, what is
 * reached, where things are kept or what is remembered of it.
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

/** What is wrong with a value; undefined: nothing. Null takes the setting out of the file. */
export function problemWith(key: ChangeableKey, value: unknown): string | undefined {
  if (value === null) return undefined;
  const setting: Setting = SETTINGS[key];
  const parsed = setting.schema.safeParse(value);
  return parsed.success ? undefined : `${key}: expected ${parsed.error.issues[0]?.message}`;
}

/** The variable of the environment that a setting is taken from, where there is one. */
export function variableOf(key: ChangeableKey): string | undefined {
  const setting: Setting = SETTINGS[key];
  return setting.env;
}
