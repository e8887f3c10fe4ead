import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { parseSettings } from "../../../machine/config/edit/settings-document.ts";
import { type DiscoverOptions, type Discovery, discover } from "../discover.ts";
import { isCommandText, isUrl, serverAtUrl, serversInCommands } from "./pasted-command.ts";
import { type NamedEntry, UNNAMED } from "./pasted-name.ts";

const PLACES = ["mcpServers", "servers", "mcp_servers", "mcp"];

/** A longer text is refused before it is read. */
export const MAX_PASTED = 500_000;

/**
 * The servers in a text that a person pasted. No file is read and no command run, whatever the text names. A text
 * that cannot be read gives no server and one file with the problem.
 */
export async function discoverPasted(
  pasted: string,
  options: Pick<DiscoverOptions, "place" | "ownUrl">,
): Promise<Discovery> {
  const read = readPasted(pasted);
  const path = join("/", options.place.cwd, read.ok ? read.value.file : "pasted.json");
  if (!read.ok)
    return { servers: [], files: [{ client: "file", path, servers: 0, problem: `line 1: ${read.error}` }] };
  const { text } = read.value;
  return discover({
    ...options,
    file: path,
    readText: async (asked) => (asked === path ? ok({ text, mode: 0o600 }) : err("absent" as const)),
  });
}

/** `file` ends as the format wants it. */
interface SettingsPasted {
  readonly file: string;
  readonly text: string;
}

/**
 * What READMEs show, as the settings that mean the same: settings of any client as JSON or TOML, or a part of them,
 * with or without what stands around it; the command that starts a server, or tells a client to; an address.
 */
export function readPasted(pasted: string): Result<SettingsPasted, string> {
  if (pasted.length > MAX_PASTED) return err(`the text is longer than ${MAX_PASTED} characters`);
  const text = withoutFence(pasted.trim()).replace(/,$/, "");
  if (text === "") return err("there is nothing in it");
  if (isUrl(text) || /^(?:vscode|vscode-insiders|cursor):/.test(text)) {
    const server = serverAtUrl(text);
    return server.ok ? ok(asSettings([server.value])) : server;
  }
  if (isCommandText(text)) {
    const servers = serversInCommands(text);
    return servers.ok ? ok(asSettings(servers.value)) : servers;
  }
  return ok(settingsIn(text));
}

function settingsIn(text: string): SettingsPasted {
  const isToml = /^(?:\[|#|[\w.-]+\s*=)/.test(text) && !text.startsWith("[{");
  if (isToml) return { file: "pasted.toml", text };
  const whole = text.startsWith("{") ? text : `{${text}}`;
  const parsed = parseSettings("pasted.json", whole);
  // What is wrong with it is said by whoever reads it next.
  if (!parsed.ok) return { file: "pasted.json", text: whole };
  const { mcp } = parsed.value;
  // VS Code keeps questions to the person beside the servers; they are none.
  if (isRecord(mcp) && isRecord(mcp.servers)) return json({ mcpServers: mcp.servers });
  if (PLACES.some((place) => isRecord(parsed.value[place]))) return { file: "pasted.json", text: whole };
  const { name } = parsed.value;
  const own = typeof name === "string" && name !== "" ? name : UNNAMED;
  return json({ mcpServers: isServer(parsed.value) ? { [own]: parsed.value } : parsed.value });
}

function asSettings(servers: readonly NamedEntry[]): SettingsPasted {
  return json({ mcpServers: Object.fromEntries(servers.map(({ name, entry }) => [name, entry])) });
}

function json(settings: object): SettingsPasted {
  return { file: "pasted.json", text: JSON.stringify(settings) };
}

/** Without the ``` of Markdown around it. */
function withoutFence(text: string): string {
  const begin = /^```[^\n]*\n/.exec(text)?.[0];
  return begin !== undefined && text.endsWith("```") ? text.slice(begin.length, -3).trim() : text;
}

function isServer(value: Readonly<Record<string, unknown>>): boolean {
  const isCommand = typeof value.command === "string" || Array.isArray(value.command);
  return isCommand || ["url", "httpUrl", "serverUrl"].some((key) => typeof value[key] === "string");
}
