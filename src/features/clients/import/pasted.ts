import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { parseSettings } from "../../../machine/config/edit/settings-document.ts";
import { type DiscoverOptions, type Discovery, discover } from "../discover.ts";
import { isCommandText, isUrl, parseCommands, parseUrl } from "./pasted-command.ts";
import { type NamedEntry, UNNAMED } from "./pasted-name.ts";

const SERVER_KEYS = ["mcpServers", "servers", "mcp_servers", "mcp"];

/** Longer texts are refused before parsing. */
export const MAX_PASTED = 500_000;

/**
 * Finds the servers in pasted text. Reads no file and runs no command, whatever the text names. Unreadable text yields
 * no servers and one file with the problem.
 */
export async function discoverPasted(
  pasted: string,
  options: Pick<DiscoverOptions, "host" | "ownUrl">,
): Promise<Discovery> {
  const read = readPasted(pasted);
  const path = join("/", options.host.cwd, read.ok ? read.value.file : "pasted.json");
  if (!read.ok)
    return { servers: [], files: [{ client: "file", path, servers: 0, problem: `line 1: ${read.error}` }] };
  const { text } = read.value;
  return discover({
    ...options,
    file: path,
    readText: async (requested) => (requested === path ? ok({ text, mode: 0o600 }) : err("absent" as const)),
  });
}

/** Settings as text; the extension of `file` tells the format. */
interface PastedSettings {
  readonly file: string;
  readonly text: string;
}

/**
 * Turns what READMEs show into settings: the settings of any client as JSON or TOML, complete or in part; a command that
 * starts a server or adds it to a client; an address.
 */
export function readPasted(pasted: string): Result<PastedSettings, string> {
  if (pasted.length > MAX_PASTED) return err(`the text is longer than ${MAX_PASTED} characters`);
  const text = stripFence(pasted.trim()).replace(/,$/, "");
  if (text === "") return err("the text is empty");
  if (isUrl(text) || /^(?:vscode|vscode-insiders|cursor):/.test(text)) {
    const server = parseUrl(text);
    return server.ok ? ok(toSettings([server.value])) : server;
  }
  if (isCommandText(text)) {
    const servers = parseCommands(text);
    return servers.ok ? ok(toSettings(servers.value)) : servers;
  }
  return ok(parseSettingsText(text));
}

function parseSettingsText(text: string): PastedSettings {
  const isToml = /^(?:\[|#|[\w.-]+\s*=)/.test(text) && !text.startsWith("[{");
  if (isToml) return { file: "pasted.toml", text };
  const json = text.startsWith("{") ? text : `{${text}}`;
  const parsed = parseSettings("pasted.json", json);
  // The next reader reports what is wrong.
  if (!parsed.ok) return { file: "pasted.json", text: json };
  const { mcp } = parsed.value;
  // VS Code keeps `inputs` beside the servers, which are not servers.
  if (isRecord(mcp) && isRecord(mcp.servers)) return toJsonSettings({ mcpServers: mcp.servers });
  if (SERVER_KEYS.some((key) => isRecord(parsed.value[key]))) return { file: "pasted.json", text: json };
  const { name } = parsed.value;
  const serverName = typeof name === "string" && name !== "" ? name : UNNAMED;
  return toJsonSettings({
    mcpServers: isServer(parsed.value) ? { [serverName]: parsed.value } : parsed.value,
  });
}

function toSettings(servers: readonly NamedEntry[]): PastedSettings {
  return toJsonSettings({ mcpServers: Object.fromEntries(servers.map(({ name, entry }) => [name, entry])) });
}

function toJsonSettings(settings: object): PastedSettings {
  return { file: "pasted.json", text: JSON.stringify(settings) };
}

/** Removes a Markdown code fence around the text. */
function stripFence(text: string): string {
  const begin = /^```[^\n]*\n/.exec(text)?.[0];
  return begin !== undefined && text.endsWith("```") ? text.slice(begin.length, -3).trim() : text;
}

function isServer(value: Readonly<Record<string, unknown>>): boolean {
  const isCommand = typeof value.command === "string" || Array.isArray(value.command);
  return isCommand || ["url", "httpUrl", "serverUrl"].some((key) => typeof value[key] === "string");
}
