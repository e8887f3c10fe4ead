/** Every key that a settings file may have, for the documentation and for `toolkeep config`. */

import { ALIASES, type ProjectPolicy, SETTINGS, type Setting } from "./schema.ts";
import { RULE_KEYS } from "./sections/declared-rules.ts";
import { OAUTH_KEYS, TLS_KEYS } from "./sections/server-auth.ts";
import { ENTRY_KEYS } from "./sections/server-entry.ts";
import { SANDBOX_KEYS } from "./sections/server-sandbox.ts";

export interface SettingKeyInfo {
  /** Dotted, with `*` for a name or a place in a list: `mcp.*.command`, `rules.*.action`. */
  readonly key: string;
  /** In the spelling of a file; empty: not set. */
  readonly default: string;
  readonly env: string | null;
  /** The ways in which a project file may set it. */
  readonly project: string;
  readonly description: string;
}

export const settingKeys: readonly SettingKeyInfo[] = [
  ...Object.entries<Setting>(SETTINGS).map(([key, setting]) => infoOf(key, setting)),
  ...Object.entries(ALIASES).map(([alias, key]) => {
    return {
      ...infoOf(alias, SETTINGS[key]),
      env: null,
      description: `The same as \`${key}\`, which counts more.`,
    };
  }),
  listed("mcp.*", "A server by its name: every object in `mcp` is one."),
  listed("mcp.servers", "The same servers as a list, each with its `name`."),
  listed("mcpServers.*", "The same servers as other programs write them."),
  ...Object.entries(ENTRY_KEYS).map(([key, entry]) => {
    const place = key === "name" ? "mcp.servers" : "mcp";
    return { key: `${place}.*.${key}`, env: null, project: key === "trusted" ? "no" : "yes", ...entry };
  }),
  ...keysIn("mcp.*.oauth", OAUTH_KEYS),
  ...keysIn("mcp.*.tls", TLS_KEYS),
  ...keysIn("mcp.*.sandbox", SANDBOX_KEYS),
  listed("rules", "What may run without asking, what asks and what never runs."),
  ...Object.entries(RULE_KEYS).map(([key, entry]) => {
    return {
      key: `rules.*.${key}`,
      env: null,
      project: key === "action" ? "only `ask` and `deny`" : "yes",
      ...entry,
    };
  }),
];

/** The rows of `docs/settings.md`. */
export function renderSettingKeys(): string {
  const rows = settingKeys.map(({ key, default: value, env, project, description }) => {
    return `| ${[code(key), code(value), code(env ?? ""), project, description].join(" | ")} |`;
  });
  return [
    "| key | default | variable | project file may set it | what it does |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function infoOf(key: string, setting: Setting): SettingKeyInfo {
  return {
    key,
    default: defaultText(setting.default),
    env: setting.env ?? null,
    project: projectText(setting.project),
    description: setting.restart
      ? `${setting.description} A change counts from the next start.`
      : setting.description,
  };
}

function keysIn(place: string, keys: typeof OAUTH_KEYS): SettingKeyInfo[] {
  return Object.entries(keys).map(([key, entry]) => {
    return { key: `${place}.${key}`, env: null, project: "yes", ...entry };
  });
}

function defaultText(value: unknown): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function listed(key: string, description: string): SettingKeyInfo {
  return { key, default: "", env: null, project: "yes", description };
}

function projectText(policy: ProjectPolicy): string {
  if (policy === "any") return "yes";
  if (policy === "never") return "no";
  return policy === "lower" ? "only lower" : `only ${policy.only}`;
}

function code(text: string): string {
  return text === "" || text.includes("`") ? text : `\`${text}\``;
}
