import { z } from "zod";
import { CHANGEABLE } from "../../../features/admin/changeable-settings.ts";
import { isRecord } from "../../../lib/json.ts";
import type { LoadedSettings } from "../../../machine/config/load.ts";
import { maskedSettings } from "../../../machine/config/masked.ts";
import type { SettingKey } from "../../../machine/config/schema.ts";
import type { SettingList, SettingView } from "./contract.ts";

/**
 * The settings that an admin may change here: those that an agent may propose, how people are asked, and how long things
 * are kept. Who gets in, what is reached and where things are kept is changed in the file only, by the owner of `TOOLKEEP_HOME`.
 */
const BY_PEOPLE: ReadonlySet<string> = new Set<SettingKey>([
  ...CHANGEABLE,
  "approvals.wait_secs",
  "approvals.rejected_secs",
  "questions.expire_ms",
  "mcp.require_approval",
  "mcp.pin",
  "rate_limits.requests_per_minute",
  "rate_limits.failures_per_minute",
  "tool_search.window_percent",
  "tool_search.embeddings",
  "tool_search.learn",
  "retention.audit_days",
  "retention.questions_days",
  "retention.notifications_days",
  "retention.attachments_days",
  "retention.tokens_days",
]);

export function settingList(loaded: LoadedSettings): SettingList {
  const values = maskedSettings(loaded);
  return {
    settings: Object.keys(loaded.table).map((key) => settingView(key, values, loaded)),
    files: loaded.files,
    warnings: loaded.warnings.map(({ message }) => message),
  };
}

/** Why `/api/settings` cannot change a setting, or not to this value; undefined: it can. */
export function refusalOf(key: string, value: unknown, loaded: LoadedSettings): string | undefined {
  if (!BY_PEOPLE.has(key)) return `${key} is not changed here, but in the settings file`;
  const fixed = fixedBy(key, loaded);
  if (fixed !== null) return `${key} cannot be changed here: ${fixed}`;
  if (value === null) return undefined;
  const { schema } = loaded.table[key]!;
  const parsed = schema.safeParse(value);
  return parsed.success ? undefined : `${key}: expected ${parsed.error.issues[0]?.message}`;
}

function settingView(
  key: string,
  values: Readonly<Record<string, unknown>>,
  loaded: LoadedSettings,
): SettingView {
  const { description, default: unset, env, restart, schema } = loaded.table[key]!;
  const isChangeable = BY_PEOPLE.has(key);
  return {
    key,
    description,
    value: valueAt(values, key) ?? null,
    default: unset,
    origin: loaded.origins[key] ?? "default",
    env: env ?? null,
    restart: restart ?? false,
    schema: isChangeable ? jsonSchema(schema) : null,
    fixed: isChangeable ? fixedBy(key, loaded) : null,
  };
}

function fixedBy(key: string, { origins, table }: LoadedSettings): string | null {
  const { env } = table[key]!;
  if (origins[key] === "env") return `${env} in the environment wins over every file`;
  return origins[key] === "project" ? "the file of the project wins over yours" : null;
}

function jsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any" });
  return rest;
}

function valueAt(values: Readonly<Record<string, unknown>>, key: string): unknown {
  return key.split(".").reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), values);
}
