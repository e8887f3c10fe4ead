import { SETTINGS, type Setting } from "../../machine/config/schema.ts";

/** A settings file in TOML with every setting, its meaning and its default; only `chosen` ones are not comments. */
export function configTemplate(chosen: Readonly<Record<string, string | number | boolean>>): string {
  const settings = Object.entries<Setting>(SETTINGS);
  const sections = ["", ...new Set(settings.map(([key]) => groupOf(key)).filter((group) => group !== ""))];
  return `# Settings of Toolkeep. What is a comment has its default; see docs/settings.md.\n${sections
    .map((group) => sectionText(group, settings, chosen))
    .join("")}${SERVER_EXAMPLE}`;
}

function sectionText(
  group: string,
  settings: readonly (readonly [string, Setting])[],
  chosen: Readonly<Record<string, string | number | boolean>>,
): string {
  const members = settings.filter(([key]) => groupOf(key) === group);
  const used = members.some(([key]) => key in chosen);
  const heading = group === "" ? "" : `\n${used ? "" : "# "}[${group}]`;
  return `${heading}\n${members.map(([key, setting]) => settingText(key, setting, chosen[key])).join("")}`;
}

function settingText(key: string, setting: Setting, chosen: string | number | boolean | undefined): string {
  const name = key.slice(key.indexOf(".") + 1);
  const line =
    chosen === undefined ? `# ${name} = ${tomlValue(setting.default)}` : `${name} = ${tomlValue(chosen)}`;
  return `# ${setting.description}\n${line}\n`;
}

function groupOf(key: string): string {
  return key.includes(".") ? key.slice(0, key.indexOf(".")) : "";
}

function tomlValue(value: unknown): string {
  return value === null ? '""' : JSON.stringify(value);
}

const SERVER_EXAMPLE = `
# A server that this file declares; toolkeep server add keeps one in the store instead.
# [[mcp.servers]]
# name = "fs"
# command = "npx"
# args = ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/documents"]

# What may run without asking, what asks, what never runs.
# [[rules]]
# permission = "mcp:github:*"
# action = "ask"
`;
