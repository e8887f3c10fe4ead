import { SETTINGS, type Setting } from "../../machine/config/schema.ts";

/** A TOML settings file with every setting, its meaning and its default. Only the `chosen` settings are not comments. */
export function renderConfigTemplate(chosen: Readonly<Record<string, string | number | boolean>>): string {
  const settings = Object.entries<Setting>(SETTINGS);
  const sections = ["", ...new Set(settings.map(([key]) => getGroup(key)).filter((group) => group !== ""))];
  return `# Toolkeep settings. Lines in comments show the defaults; see docs/settings.md.\n${sections
    .map((group) => renderSection(group, settings, chosen))
    .join("")}${SERVER_EXAMPLE}`;
}

function renderSection(
  group: string,
  settings: readonly (readonly [string, Setting])[],
  chosen: Readonly<Record<string, string | number | boolean>>,
): string {
  const members = settings.filter(([key]) => getGroup(key) === group);
  const isUsed = members.some(([key]) => key in chosen);
  const heading = group === "" ? "" : `\n${isUsed ? "" : "# "}[${group}]`;
  return `${heading}\n${members.map(([key, setting]) => renderSetting(key, setting, chosen[key])).join("")}`;
}

function renderSetting(key: string, setting: Setting, chosen: string | number | boolean | undefined): string {
  const name = key.slice(key.indexOf(".") + 1);
  const line =
    chosen === undefined
      ? `# ${name} = ${formatTomlValue(setting.default)}`
      : `${name} = ${formatTomlValue(chosen)}`;
  return `# ${setting.description}\n${line}\n`;
}

function getGroup(key: string): string {
  return key.includes(".") ? key.slice(0, key.indexOf(".")) : "";
}

function formatTomlValue(value: unknown): string {
  return value === null ? '""' : JSON.stringify(value);
}

const SERVER_EXAMPLE = `
# A server declared in this file. To keep a server in the store instead, run toolkeep server add.
# [[mcp.servers]]
# name = "fs"
# command = "npx"
# args = ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/documents"]

# Rules: allow runs without asking, ask asks a person, deny never runs.
# [[rules]]
# permission = "mcp:github:*"
# action = "ask"
`;
