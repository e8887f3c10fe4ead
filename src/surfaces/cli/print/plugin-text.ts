import { oneLine } from "../../../lib/terminal/printable.ts";
import { fields } from "../../../lib/terminal/table.ts";
import type { PluginAnswer, PluginView } from "../../api/contract.ts";

const LAST_LINES = 20;

/** The text that a person has to read before enabling a plugin. */
export function formatPermissions(plugin: PluginView): string {
  const { name, version, packageName, description, may, mayAlso, notEnforced, missingSecrets } = plugin;
  const what = description === "" ? "" : `  ${oneLine(description)}\n`;
  return `${name}: ${oneLine(packageName)} ${oneLine(version)}\n${what}${formatBullets(
    may.length === 0 ? "It requests no permissions: no files, no network, no secrets." : "It may:",
    may,
  )}${formatBullets("New since it was last enabled:", mayAlso)}${formatBullets(
    "Not enforced on this machine:",
    notEnforced,
  )}${formatBullets("Secrets not set yet:", missingSecrets)}${formatAnnouncedTools(plugin)}`;
}

/** All details of a plugin. */
export function formatPlugin({ plugin, log }: PluginAnswer): string {
  const { source, folder, sha256, status, trusted, processes, tools, warnings } = plugin;
  const lines = log
    .slice(-LAST_LINES)
    .map(({ at, text }) => `${new Date(at).toISOString()} ${oneLine(text)}`);
  return `${formatPermissions(plugin)}\n${fields([
    ["from", `${source.spec} (${source.kind})`],
    ["files", folder],
    ["content", sha256?.slice(0, 12)],
    ["status", formatState(plugin)],
    ["why", status.kind === "active" ? null : status.reason],
    ["trusted", trusted ? "yes, its tool flags are believed" : null],
    ["processes", processes === 0 ? null : processes],
  ])}${formatBullets(
    "tools:",
    tools.map((tool) => tool.name),
  )}${formatBullets("left out:", warnings)}${formatBullets("recent log lines:", lines)}`;
}

/** The state in one word, for tables. */
export function formatState({ enabled, status }: PluginView): string {
  if (status.kind === "active") return "enabled";
  if (status.kind === "disabled") return enabled ? "changed" : "disabled";
  return status.kind;
}

/** The tools that the manifest announces, until the plugin was enabled and its real tools are known. */
function formatAnnouncedTools({ tools, announced }: PluginView): string {
  if (tools.length > 0) return "";
  const lines = announced.map(({ name, description }) =>
    description === "" ? name : `${name}: ${description}`,
  );
  return formatBullets("Tools it announces:", lines);
}

function formatBullets(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return heading.endsWith(":") ? "" : `${heading}\n`;
  return `${heading}\n${lines.map((line) => `  - ${oneLine(line)}\n`).join("")}`;
}
