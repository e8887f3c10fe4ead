import { oneLine } from "../../../lib/terminal/printable.ts";
import { fields } from "../../../lib/terminal/table.ts";
import type { PluginAnswer, PluginView } from "../../api/contract.ts";

const LAST_LINES = 20;

/** What a person must have read before they enable it. */
export function permissionText(plugin: PluginView): string {
  const { name, version, packageName, description, may, mayAlso, notEnforced, missingSecrets } = plugin;
  const what = description === "" ? "" : `  ${oneLine(description)}\n`;
  return `${name}: ${oneLine(packageName)} ${oneLine(version)}\n${what}${bullets(
    may.length === 0 ? "It asks for nothing: no files, no network, no secrets." : "It may:",
    may,
  )}${bullets("Of this is new since it was enabled last:", mayAlso)}${bullets(
    "Not enforced on this machine:",
    notEnforced,
  )}${bullets("Secrets that are not set yet:", missingSecrets)}${announced(plugin)}`;
}

/** Everything about it. */
export function pluginText({ plugin, log }: PluginAnswer): string {
  const { source, folder, sha256, status, trusted, processes, tools, warnings } = plugin;
  const lines = log
    .slice(-LAST_LINES)
    .map(({ at, text }) => `${new Date(at).toISOString()} ${oneLine(text)}`);
  return `${permissionText(plugin)}\n${fields([
    ["from", `${source.spec} (${source.kind})`],
    ["files", folder],
    ["content", sha256?.slice(0, 12)],
    ["status", state(plugin)],
    ["why", status.kind === "active" ? null : status.reason],
    ["trusted", trusted ? "its flags are believed" : null],
    ["processes", processes === 0 ? null : processes],
  ])}${bullets(
    "tools:",
    tools.map((tool) => tool.name),
  )}${bullets("left out:", warnings)}${bullets("last lines of its log:", lines)}`;
}

/** One word for tables. */
export function state({ enabled, status }: PluginView): string {
  if (status.kind === "active") return "enabled";
  if (status.kind === "disabled") return enabled ? "changed" : "disabled";
  return status.kind;
}

/** What the plugin itself says that its tools are; once it was enabled, it is known. */
function announced({ tools, announced }: PluginView): string {
  if (tools.length > 0) return "";
  const said = announced.map(({ name, description }) =>
    description === "" ? name : `${name}: ${description}`,
  );
  return bullets("Tools, as it says:", said);
}

function bullets(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return heading.endsWith(":") ? "" : `${heading}\n`;
  return `${heading}\n${lines.map((line) => `  - ${oneLine(line)}\n`).join("")}`;
}
